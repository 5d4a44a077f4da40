import type { Suite } from './suites-api.ts';

/** One word for all lists. A suite is running from its first run on, also while the next one is still queued. */
export function getSuiteStatus({
  state,
  outcome,
  counts,
}: Suite): NonNullable<Suite['outcome']> | 'running' | 'queued' | 'incomplete' {
  if (state === 'ended') return outcome ?? 'cancelled';
  if (state === 'incomplete') return 'incomplete';
  const { failed, broken, cancelled, passed, quarantined = 0, running } = counts;
  return failed + broken + cancelled + passed + quarantined + running > 0 ? 'running' : 'queued';
}
