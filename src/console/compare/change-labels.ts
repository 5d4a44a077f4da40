import type { ComparedScenario } from '../../contract/comparison-api.ts';
import type { RunStatus } from '../text/run-status.ts';

type Change = ComparedScenario['change'];

/** The same words as on the command line. */
export const changeLabels: Readonly<Record<Change, string>> = {
  newly_failing: 'newly failing',
  flaky: 'flaky',
  not_judged: 'could not be judged',
  failing_before: 'failing before',
  fixed: 'fixed',
  added: 'added',
  removed: 'removed',
  unchanged: 'unchanged',
};

export const changeIcons: Readonly<Record<Change, RunStatus>> = {
  newly_failing: 'failed',
  flaky: 'broken',
  not_judged: 'broken',
  failing_before: 'failed',
  fixed: 'passed',
  added: 'queued',
  removed: 'cancelled',
  unchanged: 'passed',
};

/** `flaky, fails more often`. */
export function describeChange({ change, fails_more_often: more, new_failures: failures }: ComparedScenario): string {
  if (change === 'flaky' && more) return `${changeLabels.flaky}, fails more often`;
  if (change === 'failing_before' && failures.length > 0) return `${changeLabels.failing_before}, in another way`;
  return changeLabels[change];
}
