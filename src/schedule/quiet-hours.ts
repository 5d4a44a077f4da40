/** Times of the day in which nothing is sent. */
import { vpError } from '../errors/vp-error.ts';
import { findNextTickMs, parseTiming } from './timing.ts';

export type QuietPeriod = { readonly from: string; readonly to: string; readonly time_zone: string };

function findNextMs(time: string, timeZone: string, afterMs: number): number {
  const [hour, minute] = time.split(':').map(Number);
  const timing = parseTiming({ cron: `${minute} ${hour} * * *`, time_zone: timeZone });
  const nextMs = findNextTickMs(timing, afterMs);
  if (nextMs !== undefined) return nextMs;
  throw vpError('INTERNAL', {}, { detail: `${time} never comes in ${timeZone}` });
}

/**
 * When the period in which `nowMs` lies is over; undefined outside of it. It lasts from `from` to before `to`, also over
 * midnight and a change to or from daylight saving. Throws SCHEDULE_INVALID for an unknown time zone.
 */
export function findQuietEndMs({ from, to, time_zone: zone }: QuietPeriod, nowMs: number): number | undefined {
  if (from === to) return undefined;
  // A tick at this very moment is the next one after the moment before.
  const endMs = findNextMs(to, zone, nowMs);
  return endMs < findNextMs(from, zone, nowMs) ? endMs : undefined;
}
