/** Bounds what one proof costs, whatever the scenario and the body are: a run must not keep its executor busy. */
import { isList, isObjectValue, type Json } from '../../check/json/json.ts';
import type { Observation } from '../../check/observation.ts';
import type { ScenarioCheck } from '../../scenario/scenario.ts';

/** Units of a whole proof; a unit is about 5 ns of a common processor. */
const proofUnits = 80_000_000;
/** Units for judging one check, whatever it reads. */
const judgingCost = 200;

export class WorkBudget {
  #remaining: number;

  constructor(units: number) {
    this.#remaining = units;
  }

  /** The budget of one proof. Where secrets are concealed, reading a text takes several times as long. */
  static createFor({ conceal }: Pick<Observation, 'conceal'>): WorkBudget {
    return new WorkBudget(conceal ? proofUnits / 4 : proofUnits);
  }

  /** True when there was enough; nothing is taken otherwise. */
  spend(units: number): boolean {
    if (units > this.#remaining) return false;
    this.#remaining -= units;
    return true;
  }

  /** Characters of `value` as compact JSON, about; infinite when counting them would exceed the budget. */
  measure(value: Json): number {
    const before = this.#remaining;
    const size = this.#count(value);
    return this.#remaining > 0 || before <= 0 ? size : Number.POSITIVE_INFINITY;
  }

  #count(value: Json): number {
    this.#remaining -= 4;
    if (this.#remaining <= 0) return Number.POSITIVE_INFINITY;
    if (typeof value === 'string') return value.length + 2;
    if (isList(value)) return value.reduce((sum: number, item) => sum + this.#count(item) + 1, 2);
    if (!isObjectValue(value)) return 5;
    let size = 2;
    for (const key of Object.keys(value)) size += key.length + 4 + this.#count(value[key] ?? null);
    return size;
  }
}

/** Units for judging a check on a value of `size` characters. */
export function estimateJudgingCost({ definition }: ScenarioCheck, size: number): number {
  const { readingCost = 1 } = definition;
  return readingCost === 0 ? judgingCost : judgingCost + size * readingCost;
}
