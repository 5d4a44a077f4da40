/** Schedules as text. */
import type { Schedule, ScheduleDefinition, ScheduleTick } from '../../contract/schedules-api.ts';

export function formatWhen({ cron, every, on, time_zone: zone }: ScheduleDefinition): string {
  if (on !== undefined) return on === 'webhook' ? 'on a webhook' : 'on a new version';
  return cron === undefined ? `every ${every}` : `${cron} ${zone ?? 'UTC'}`;
}

export function formatSelection({ scenarios = [], tags = [] }: ScheduleDefinition): string {
  if (scenarios.length + tags.length === 0) return 'every scenario';
  return [...scenarios, ...tags.map((tag) => `tag ${tag}`)].join(', ');
}

export function formatOutcome({ outcome }: Pick<ScheduleTick, 'outcome'>): string {
  return outcome.replace('_', ' ');
}

/** `Sat, 21 Nov 2026, 02:00 CET`, in the zone of the schedule. */
export function formatTickTime(timestamp: string, { time_zone: timeZone = 'UTC' }: Schedule['definition']): string {
  return new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: '2-digit', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone, timeZoneName: 'short' },
  }).format(new Date(timestamp));
}
