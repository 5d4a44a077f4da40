/** Bounds what one proof costs, whatever the scenario and the body are: a run must not keep its executor busy. */
import { isList, isObject } from '../../check/bounded.ts';
import type { Check } from '../../check/kinds.ts';
import type { Json, Observed } from '../../check/observed.ts';

/** Units of a whole proof; a unit is about 5 ns of a common processor. */
const wholeWork = 80_000_000;
/** Of judging one check, whatever it reads. */
const judgingCost = 200;
/** Patterns read more slowly than texts are compared. */
const patternWeight = 8;

/** What is left to spend. */
export class Work {
  #left: number;

  constructor(units: number) {
    this.#left = units;
  }

  /** The work of one proof. Where secrets are concealed, each text is read several times as slowly. */
  static of({ conceal }: Pick<Observed, 'conceal'>): Work {
    return new Work(conceal ? wholeWork / 4 : wholeWork);
  }

  /** True when there was enough; nothing is taken otherwise. */
  spend(units: number): boolean {
    if (units > this.#left) return false;
    this.#left -= units;
    return true;
  }

  /** Characters of `value` as compact JSON, about; infinite when counting them would cost all that is left. */
  sizeOf(value: Json): number {
    const before = this.#left;
    const size = this.#count(value);
    return this.#left > 0 || before <= 0 ? size : Number.POSITIVE_INFINITY;
  }

  #count(value: Json): number {
    this.#left -= 4;
    if (this.#left <= 0) return Number.POSITIVE_INFINITY;
    if (typeof value === 'string') return value.length + 2;
    if (isList(value)) return value.reduce((sum: number, item) => sum + this.#count(item) + 1, 2);
    if (!isObject(value)) return 5;
    let size = 2;
    for (const key of Object.keys(value)) size += key.length + 4 + this.#count(value[key] ?? null);
    return size;
  }
}

/** Units for judging `check` on a value of `size` characters. */
export function costOf(check: Check, size: number): number {
  if (check.kind === 'exists' || check.kind === 'status') return judgingCost;
  return judgingCost + size * (check.kind === 'matches' ? patternWeight : 1);
}

/** Units for copying a container with so many entries: lists are copied as they are, wide objects key by key. */
export function copyCost(value: Json): number {
  if (isList(value)) return value.length + 20;
  if (!isObject(value)) return 0;
  const { length } = Object.keys(value);
  return length * (length > 64 ? 128 : 10) + 20;
}
