import { setFlagsFromString } from 'node:v8';

/**
 * Leaves WebAssembly as it is compiled first. The parser of HTTP is optimized while the first responses arrive, which takes a tenth of
 * the processor time of a short run and repays only many of them. `--liftoff-only` and `--no-wasm-dynamic-tiering` gained nothing:
 * what is there is then compiled twice, or by the slow compiler alone.
 */
export function keepBaselineWebAssembly(): void {
  setFlagsFromString(`${budgetFlag}2000000000`);
}

const budgetFlag = '--wasm-tiering-budget=';
const defaultBudget = 13_000_000;

/** Undoes it: V8 uses a code cache only with the flags with which it was created. */
export function allowOptimizedWebAssembly(): void {
  setFlagsFromString(`${budgetFlag}${defaultBudget}`);
}
