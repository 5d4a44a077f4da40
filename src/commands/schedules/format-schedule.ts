/** Schedules as text. */
import type { Schedule, ScheduleDefinition, ScheduleTick } from '../../contract/schedules-api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import type { TableColumn } from '../../terminal/table.ts';

/** `0 2 * * * Europe/Berlin`, `every 6h`, `on webhook`. */
export function formatWhen({ cron, every, on, time_zone: zone, jitter_s: jitter }: ScheduleDefinition): string {
  const late = jitter ? `, up to ${jitter} s later` : '';
  if (on !== undefined) return on === 'webhook' ? 'on a webhook' : 'on a new version';
  return cron === undefined ? `every ${every}${late}` : `${cron} ${zone ?? 'UTC'}${late}`;
}

export function formatSelection({ scenarios = [], tags = [] }: ScheduleDefinition): string {
  if (scenarios.length + tags.length === 0) return 'every scenario';
  return [...scenarios, ...tags.map((tag) => `tag ${tag}`)].join(', ');
}

export function formatScheduleTick({ outcome, note }: Pick<ScheduleTick, 'outcome' | 'note'>): string {
  const text = outcome.replace('_', ' ');
  return note === null ? text : `${text}: ${escapeUnsafeLine(note)}`;
}

/** `Sat, 21 Nov 2026, 02:00 CET`. */
export function formatInZone(timestamp: string, timeZone = 'UTC'): string {
  return new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: '2-digit', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone, timeZoneName: 'short' },
  }).format(new Date(timestamp));
}

function formatNext({ next, paused, paused_by: by, definition }: Schedule): string {
  if (paused) return `paused by ${by ?? 'someone'}`;
  return next[0] === undefined ? '' : formatInZone(next[0], definition.time_zone);
}

export function buildScheduleColumns(nowMs: number): TableColumn<Schedule>[] {
  return [
    { title: 'SCHEDULE', text: ({ schedule_id: id }) => id },
    { title: 'WHEN', text: ({ definition }) => formatWhen(definition), minWidth: 10 },
    { title: 'NEXT', text: formatNext, minWidth: 10 },
    { title: 'SCENARIOS', text: ({ matching_scenarios: count }) => String(count), alignRight: true },
    {
      title: 'LAST',
      text: ({ last_tick: tick }) =>
        tick ? `${formatRelativeTime(tick.handled_at, nowMs)}: ${tick.outcome.replace('_', ' ')}` : 'never',
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

/** What runs and when, with `details` below it. */
export function formatDefinition(schedule: Schedule, instance: string, details = ''): string {
  const { schedule_id: id, definition, matching_scenarios: matching, next } = schedule;
  const head = `schedule ${id} of ${instance}: ${formatSelection(definition)} (${matching}), ${formatWhen(definition)}\n`;
  return `${head}${details}${formatNoMatch(matching)}${formatNextTimes(next, definition.time_zone)}`;
}

/** The next times, one per line. Ends with a line break. */
export function formatNextTimes(next: readonly string[], timeZone: string | undefined): string {
  return next.map((time) => `  ${formatInZone(time, timeZone)}   ${time}\n`).join('');
}
