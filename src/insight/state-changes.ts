/** Results of a scenario → the moments at which its state changed, as people want to be notified of them. */
import type { RunOutcome } from '../run/state.ts';
import { minUnversionedFlips } from './health.ts';

/** `broken`: nothing could be judged, such as with an unreachable target. `version` is that of the target, `text` the revision. */
export type EndedResult = {
  readonly outcome: Exclude<RunOutcome, 'cancelled'>;
  readonly version: string | null;
  readonly text: number;
  /** Nobody is notified of results in quarantine; with the first one after it, a history begins in which nothing has failed. */
  readonly quarantined?: boolean;
};

export type StateChange = 'newly_failing' | 'recovered' | 'flaky';

/** One failure on a version is a change of state, and so is its end; that both were seen on it is news only once. */
const minVersionedFlips = 2;
/** A flaky scenario counts as failing, or as passing again, when that many results in a row say so. */
const minStreak = 3;

type Group = { lastPassed: boolean | undefined; flips: number };

/**
 * The change that the last of `all` made; undefined when it made none. They are in the order in which they ended. A
 * result that could not be judged is a failure, and says nothing about flakiness.
 */
export function findStateChange(all: readonly EndedResult[]): StateChange | undefined {
  const results = all.slice(all.findLastIndex(({ quarantined }) => quarantined) + 1);
  const isWhole = results.length < all.length;
  const groups = new Map<string, Group>();
  let hasFailed = false;
  let flakyGroup: string | undefined;
  let streak = 0;
  let wasPassed: boolean | undefined;
  let change: StateChange | undefined;
  for (const [index, { outcome, version, text }] of results.entries()) {
    const passed = outcome === 'passed';
    const key = JSON.stringify([version, text]);
    const group = groups.get(key) ?? { lastPassed: undefined, flips: 0 };
    if (outcome !== 'broken') {
      if (group.lastPassed !== undefined && group.lastPassed !== passed) group.flips += 1;
      group.lastPassed = passed;
      groups.set(key, group);
    }
    streak = passed === wasPassed ? streak + 1 : 1;
    wasPassed = passed;
    // Of a history that is cut off, the oldest result is where it begins.
    if (index === 0 && results.length > 1 && !isWhole) hasFailed = !passed;
    const isFlaky = group.flips >= (version === null ? minUnversionedFlips : minVersionedFlips);
    const isNews = passed === hasFailed;
    change = undefined;
    if (isFlaky && flakyGroup !== key) {
      flakyGroup = key;
      hasFailed = !passed;
      change = 'flaky';
    } else if (isNews && (!isFlaky || streak >= minStreak)) {
      hasFailed = !passed;
      change = passed ? 'recovered' : 'newly_failing';
    }
  }
  return change;
}
