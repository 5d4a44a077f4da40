import { type ErrorCode, errorTable } from '../errors/table.ts';
import type { Values } from '../errors/vp-error.ts';
import { type OnProblem, problemOf, type Spot } from './problem.ts';
import type { Spots } from './yaml-tree.ts';

/** Tells problems of the config file by JSON pointer, and remembers which values are wrong. */
export type Ledger = {
  /** Tells a problem where the value at `pointer` stands (or its key); the file's start where there is none. */
  tell<C extends ErrorCode>(code: C, pointer: string, values: Values<C>, at?: 'key' | 'value'): void;
  /** For what was told elsewhere already: nothing that follows from it is worth telling. */
  markWrong(pointer: string): void;
  isWrong(pointer: string): boolean;
};

/** `lineOf` gives the line to show, already masked. */
export function ledgerOf(
  file: string,
  spots: ReadonlyMap<string, Spots>,
  lineOf: (line: number) => string | undefined,
  onProblem: OnProblem,
): Ledger {
  const wrong = new Set<string>();
  return {
    tell(code, pointer, values, at = 'value') {
      if (errorTable[code].severity === 'error') wrong.add(pointer);
      const spot = spotOf(spots.get(pointer), at);
      onProblem(problemOf(code, { file, spot, excerpt: lineOf(spot.line) }, values));
    },
    markWrong: (pointer) => wrong.add(pointer),
    isWrong: (pointer) => wrong.has(pointer),
  };
}

function spotOf(spots: Spots | undefined, at: 'key' | 'value'): Spot {
  return (at === 'key' ? spots?.key : undefined) ?? spots?.value ?? { line: 1, column: 1 };
}
