/** Suites as text. */
import { getSuiteStatus } from '../../contract/suite-status.ts';
import type { Suite } from '../../contract/suites-api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { formatDuration } from '../../report/measures.ts';
import { outcomeLabels } from '../../run/state.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';

/** Its verdict, or why there is none yet. */
export function formatVerdict(suite: Suite): string {
  const status = getSuiteStatus(suite);
  return status === 'running' || status === 'queued' || status === 'incomplete' ? status : outcomeLabels[status];
}

export function paintVerdict({ state, outcome }: Suite, paint: TerminalPaint): (text: string) => string {
  if (state !== 'ended') return paint.faint;
  if (outcome === 'passed') return paint.passed;
  return outcome === 'failed' ? paint.failed : paint.broken;
}

const countLabels = {
  passed: 'passed',
  failed: 'failed',
  broken: outcomeLabels.broken,
  cancelled: 'cancelled',
  quarantined: 'failed in quarantine',
  running: 'running',
  queued: 'queued',
  not_requested: 'not requested',
} as const satisfies Record<keyof Suite['counts'], string>;

/** `3 passed (1 of them only when retried), 1 failed`. */
export function formatSuiteCounts({ counts, flaky }: Suite): string {
  const names = Object.keys(countLabels) as (keyof Suite['counts'])[];
  const parts = names.flatMap((name) => {
    const retried = name === 'passed' && flaky > 0 ? ` (${flaky} of them only when retried)` : '';
    const count = counts[name] ?? 0;
    return count === 0 ? [] : [`${count} ${countLabels[name]}${retried}`];
  });
  return parts.join(', ') || 'no runs';
}

/** `main 4f2c9e1`. */
export function formatSuiteSource({ source: { branch, commit } }: Suite): string {
  return escapeUnsafeLine([branch, commit?.slice(0, 12)].filter((part) => part !== undefined).join(' '));
}

/** Ends with a line break. */
export function formatSuiteDetails(suite: Suite, url: string, paint: TerminalPaint): string {
  const { source, name, requested_at: at, requested_by: by, finished_at: finishedAt, target_version: version } = suite;
  const title = `${paint.strong(escapeUnsafeLine(name ?? suite.suite_id))}  ${paintVerdict(suite, paint)(formatVerdict(suite))}`;
  const took = finishedAt === null ? '' : ` in ${formatDuration(Date.parse(finishedAt) - Date.parse(at))}`;
  const facts: (readonly [string, string | null | undefined])[] = [
    ['runs', `${formatSuiteCounts(suite)}${took}`],
    ['suite', suite.suite_id],
    ['requested', `${at} by ${by}`],
    ['version', version],
    ['branch', source.branch],
    ['commit', source.commit],
    ['author', source.author],
    ['job', source.job],
    ['job page', source.url],
    ['shards', suite.shards?.map((shard) => shard.length).join(' + ')],
    ['repeats', suite.rerun_of],
    ['repeated', suite.rerun],
    ['page', url],
  ];
  const lines = facts.flatMap(([label, text]) =>
    text === null || text === undefined ? [] : [`  ${label.padEnd(9)} ${escapeUnsafeLine(text)}`],
  );
  return `${[title, ...lines].join('\n')}\n`;
}
