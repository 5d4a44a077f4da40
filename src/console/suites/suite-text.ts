import { getSuiteStatus } from '../../contract/suite-status.ts';
import type { Suite } from '../../contract/suites-api.ts';
import { type RunStatus, runStatusLabels } from '../text/run-status.ts';

/** The icon of a suite. What is incomplete waits for others, like a queued run. */
export function getSuiteIcon(suite: Suite): RunStatus {
  const status = getSuiteStatus(suite);
  return status === 'incomplete' ? 'queued' : status;
}

/** Its verdict, or why there is none. */
export function formatSuiteVerdict(suite: Suite): string {
  const status = getSuiteStatus(suite);
  return status === 'incomplete' ? status : runStatusLabels[status];
}

const countLabels: readonly (readonly [keyof Suite['counts'], string])[] = [
  ['failed', 'failed'],
  ['broken', runStatusLabels.broken],
  ['cancelled', 'cancelled'],
  ['quarantined', 'failed in quarantine'],
  ['passed', 'passed'],
  ['running', 'running'],
  ['queued', 'queued'],
  ['not_requested', 'not requested yet'],
];

/** `1 failed, 3 passed (1 only when retried)`. */
export function formatSuiteCounts({ counts, flaky }: Suite): string {
  const parts = countLabels.flatMap(([name, label]) => {
    const retried = name === 'passed' && flaky > 0 ? ` (${flaky} only when retried)` : '';
    const count = counts[name] ?? 0;
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${label}${retried}`];
  });
  return parts.join(', ') || 'no runs';
}

/** How many of the expected runs have ended. */
export function countEnded({ counts: { failed, broken, cancelled, passed, quarantined = 0 } }: Suite): number {
  return failed + broken + cancelled + passed + quarantined;
}

/** What a list calls it. */
export function formatSuiteName({ name, schedule, expected_runs: runs }: Suite): string {
  return name ?? schedule ?? (runs === 1 ? '1 scenario' : `${runs.toLocaleString('en')} scenarios`);
}
