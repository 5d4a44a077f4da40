/** Schedules in the words of the command line and the console. */
import type { ScheduleDefinition, ScheduleTick } from './schedules-api.ts';

/** `0 2 * * * Europe/Berlin`, `every 6h, up to 60 s later`, `on a webhook`. */
export function formatWhen({ cron, every, on, time_zone: zone, jitter_s: jitter }: ScheduleDefinition): string {
  const late = jitter ? `, up to ${jitter} s later` : '';
  if (on !== undefined) return on === 'webhook' ? 'on a webhook' : 'on a new version';
  return cron === undefined ? `every ${every}${late}` : `${cron} ${zone ?? 'UTC'}${late}`;
}

/** `RT-1, tag smoke`. */
export function formatSelection({ scenarios = [], tags = [] }: ScheduleDefinition): string {
  if (scenarios.length + tags.length === 0) return 'every scenario';
  return [...scenarios, ...tags.map((tag) => `tag ${tag}`)].join(', ');
}

export function formatTickOutcome({ outcome }: Pick<ScheduleTick, 'outcome'>): string {
  return outcome.replace('_', ' ');
}

/** `Sat, 21 Nov 2026, 02:00 CET`, in the zone of the schedule. */
export function formatTickTime(timestamp: string, { time_zone: timeZone = 'UTC' }: ScheduleDefinition): string {
  return new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: '2-digit', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone, timeZoneName: 'short' },
  }).format(new Date(timestamp));
}
