/** Schedules as text. */
import { formatSelection, formatTickOutcome, formatTickTime, formatWhen } from '../../contract/schedule-text.ts';
import type { Schedule, ScheduleDefinition, ScheduleTick } from '../../contract/schedules-api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import type { TableColumn } from '../../terminal/table.ts';

export function formatScheduleTick({ outcome, note }: Pick<ScheduleTick, 'outcome' | 'note'>): string {
  const text = formatTickOutcome({ outcome });
  return note === null ? text : `${text}: ${escapeUnsafeLine(note)}`;
}

function formatNext({ next, paused, paused_by: by, definition }: Schedule): string {
  if (paused) return `paused by ${by ?? 'someone'}`;
  return next[0] === undefined ? '' : formatTickTime(next[0], definition);
}

export function buildScheduleColumns(nowMs: number): TableColumn<Schedule>[] {
  return [
    { title: 'SCHEDULE', text: ({ schedule_id: id }) => id },
    { title: 'WHEN', text: ({ definition }) => formatWhen(definition), minWidth: 10 },
    { title: 'NEXT', text: formatNext, minWidth: 10 },
    {
      title: 'SCENARIOS',
      text: ({ matching_scenarios: count, unmatched }) =>
        unmatched.length === 0 || count === 0 ? String(count) : `${count}, none for ${unmatched.length}`,
      alignRight: true,
    },
    {
      title: 'LAST',
      text: ({ last_tick: tick }) =>
        tick ? `${formatRelativeTime(tick.handled_at, nowMs)}: ${formatTickOutcome(tick)}` : 'never',
      minWidth: 8,
    },
    {
      title: 'FROM',
      text: ({ source, created_by: by }) => (source === 'file' ? 'schedules.yaml' : by),
      optional: true,
    },
  ];
}

/** Empty unless a schedule would request nothing. */
export function formatNoMatch(matchingScenarios: number): string {
  return matchingScenarios === 0 ? 'no scenario of the catalogue matches yet\n' : '';
}

function formatUnmatched({ matching_scenarios: matching, unmatched }: Schedule): string {
  if (matching === 0 || unmatched.length === 0) return '';
  return `no scenario of the catalogue matches ${unmatched.map(escapeUnsafeLine).join(', ')}\n`;
}

/** What runs and when, with `details` below it. */
export function formatDefinition(schedule: Schedule, instance: string, details = ''): string {
  const { schedule_id: id, definition, matching_scenarios: matching, next } = schedule;
  const head = `schedule ${id} of ${instance}: ${formatSelection(definition)} (${matching}), ${formatWhen(definition)}\n`;
  return `${head}${details}${formatNoMatch(matching)}${formatUnmatched(schedule)}${formatNextTimes(next, definition)}`;
}

/** The next times, one per line. Ends with a line break. */
export function formatNextTimes(next: readonly string[], definition: ScheduleDefinition): string {
  return next.map((time) => `  ${formatTickTime(time, definition)}   ${time}\n`).join('');
}
