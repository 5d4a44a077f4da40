import type { ComparedScenario } from './comparison-api.ts';

/** The words of changes, on the command line and in the console. */
export const changeLabels: Readonly<Record<ComparedScenario['change'], string>> = {
  newly_failing: 'newly failing',
  flaky: 'flaky',
  not_judged: 'could not be judged',
  failing_before: 'failing before',
  fixed: 'fixed',
  added: 'added',
  removed: 'removed',
  unchanged: 'unchanged',
};

/** A scenario that ran on head only, and failed whenever it was judged: as bad as a newly failing one. */
export function isFailingAddition({ change, head }: ComparedScenario): boolean {
  return change === 'added' && head !== null && head.failed > 0 && head.passed === 0;
}
