/** A change of what was observed, as data, and who may notice it. */
import type { Observed } from '../../check/observed.ts';

/** A change. Costs are in the units of `Work`. */
export type Change = {
  /** Such as `count` is null; they hold no value of the evidence, which may be secret. */
  readonly words: string;
  /** `presence`: what was named is gone. `content`: it is there, and something else. */
  readonly touches: 'presence' | 'content';
  /** Of applying it. */
  readonly cost: number;
  /** Characters, about, that a check of the changed value reads. */
  readonly size: number;
  /** What would have been observed; shares all that is as before. */
  readonly apply: (observed: Observed) => Observed;
};

/** Checks, by their place in the scenario, that name the same thing, and the changes of it. */
export type Group = {
  readonly owners: readonly number[];
  readonly changes: readonly Change[];
  /** Checks of what surrounds it, or of parts of it, with the characters each of them reads. */
  readonly others: readonly { readonly index: number; readonly size: number }[];
};

/** The change as it concerns what is within: that is gone with what holds it. */
export function asPresence(change: Change): Change {
  return { ...change, touches: 'presence' };
}
