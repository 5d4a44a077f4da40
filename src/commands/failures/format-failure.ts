/** Failures as text. */
import type { FailureDocument, FailureGroup } from '../../contract/failures-api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { describeQuarantine } from '../../run/quarantine.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import type { TableColumn } from '../../terminal/table.ts';

const levels = '▁▂▃▄▅▆▇█';

/** A character for each day; a space for days without a run. */
export function formatDays(days: readonly number[]): string {
  const highest = Math.max(1, ...days);
  const pick = (count: number): string => levels[Math.ceil((count / highest) * (levels.length - 1))] ?? ' ';
  return days.map((count) => (count === 0 ? '·' : pick(count))).join('');
}

/** `failing`: in the newest result. `not seen since`: open, and its scenario has passed or failed otherwise. */
function formatFailureState({ state, failing, reopened, quarantine }: FailureGroup): string {
  if (state === 'resolved') return 'resolved';
  if (!failing) return 'not seen since';
  if (quarantine) return 'in quarantine';
  return reopened ? 'failing again' : 'failing';
}

function styleState(failure: FailureGroup, paint: TerminalPaint): (text: string) => string {
  if (failure.state === 'resolved') return paint.passed;
  return failure.failing && !failure.quarantine ? paint.failed : paint.faint;
}

export function buildFailureColumns(nowMs: number, paint: TerminalPaint): TableColumn<FailureGroup>[] {
  return [
    { title: 'FAILURE', text: ({ failure_id: id }) => id },
    { title: 'STATE', text: formatFailureState, style: (failure) => styleState(failure, paint) },
    { title: 'SCENARIO', text: ({ scenario_id: scenario }) => scenario, minWidth: 12 },
    { title: 'RUNS', text: ({ runs }) => String(runs), alignRight: true },
    { title: '14 DAYS', text: ({ days }) => formatDays(days), optional: true },
    { title: 'SINCE', text: ({ first_seen: first }) => formatRelativeTime(first.at, nowMs), optional: true },
    { title: 'VERSION', text: ({ first_seen: first }) => first.target_version ?? '', optional: true },
    { title: 'FOR', text: ({ assignee }) => assignee ?? '', optional: true },
    { title: 'LAST RESULT', text: ({ summary }) => summary, minWidth: 10 },
  ];
}

function formatFact(name: string, value: string): string {
  return `  ${name.padEnd(11)} ${escapeUnsafeLine(value)}\n`;
}

function formatSighting({ at, run_id: run, target_version: version }: FailureGroup['first_seen']): string {
  return `${at} in run ${run}${version === null ? '' : `, version ${version}`}`;
}

/** Ends with a line break. */
export function formatFailureDetails(failure: FailureDocument, paint: TerminalPaint): string {
  const { check, step, line, first_seen: first, last_seen: last, reopened } = failure;
  const location = [...(line === null ? [] : [`line ${line}`]), ...(step === null ? [] : [`step ${step}`])].join(', ');
  return [
    `${paint.strong(escapeUnsafeLine(failure.scenario_id))}  ${styleState(failure, paint)(formatFailureState(failure))}\n`,
    `  ${escapeUnsafeLine(failure.summary)}\n\n`,
    ...(check === null ? [] : [formatFact('check', `${check}${location === '' ? '' : ` (${location})`}`)]),
    formatFact('runs', `${failure.runs}, on the last 14 days ${formatDays(failure.days)}`),
    formatFact('first seen', formatSighting(first)),
    formatFact('last seen', formatSighting(last)),
    ...(reopened === null ? [] : [formatFact('came back', formatSighting(reopened))]),
    ...(failure.resolved_at === null
      ? []
      : [formatFact('resolved', `${failure.resolved_at} by ${failure.resolved_by ?? 'someone'}`)]),
    ...(failure.quarantine ? [formatFact('quarantine', describeQuarantine(failure.quarantine))] : []),
    ...(failure.assignee === null ? [] : [formatFact('assigned to', failure.assignee)]),
    ...(failure.note === null ? [] : [formatFact('note', failure.note)]),
    '\nversions of the target\n',
    ...failure.versions.map(({ target_version: version, runs, first_seen_at: from, last_seen_at: to }) =>
      formatFact(version ?? 'not known', `${runs} runs, ${from} to ${to}`),
    ),
    '\nnewest runs\n',
    ...failure.newest_runs
      .slice(0, 5)
      .map((run) => `  ${run.run_id}  ${escapeUnsafeLine(run.failure_summary ?? run.failure_message ?? '')}\n`),
  ].join('');
}
