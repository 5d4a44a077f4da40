/**
 * When a schedule is due. A tick is the nominal time; jitter moves the request, not the tick.
 *
 * Daylight saving, as croner does it: a time that is skipped becomes the first moment afterwards, a time that comes twice
 * is taken the first time, and `*` of hours or minutes follows elapsed time.
 */
import { Cron } from 'croner';
import { vpError } from '../errors/vp-error.ts';

/** Intervals count from 1970 in UTC, so that they are the same after every restart. */
export type ScheduleTiming =
  | { readonly kind: 'cron'; readonly expression: string; readonly timeZone: string }
  | { readonly kind: 'interval'; readonly everyMs: number };

/** As people write it: exactly one of `cron` and `every`. */
export type TimingText = {
  readonly cron?: string | undefined;
  readonly every?: string | undefined;
  readonly time_zone?: string | undefined;
};

const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const maxEveryMs = 366 * unitsMs.d;

function refuse(member: string, problem: string): never {
  throw vpError('SCHEDULE_INVALID', { member, problem });
}

function parseInterval(text: string): number {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const everyMs = unit === 'm' || unit === 'h' || unit === 'd' ? Number(count) * unitsMs[unit] : 0;
  if (everyMs > 0 && everyMs <= maxEveryMs) return everyMs;
  return refuse('every', 'must be a duration such as 15m, 6h or 1d, of at most 366 days');
}

function assertTimeZone(timeZone: string): void {
  if (!/^[A-Za-z]/.test(timeZone)) refuse('time_zone', 'must be a name such as Europe/Berlin or UTC, not an offset');
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    refuse('time_zone', `${timeZone} is not a known time zone; names are such as Europe/Berlin or UTC`);
  }
}

function createCron(expression: string, timeZone: string): Cron {
  return new Cron(expression, { timezone: timeZone, mode: '5-part', paused: true });
}

function parseCron(expression: string, timeZone: string): ScheduleTiming {
  assertTimeZone(timeZone);
  try {
    createCron(expression, timeZone);
  } catch (error) {
    const problem = error instanceof Error ? error.message.replace(/^\w+: /, '') : 'is not a cron expression';
    refuse('cron', `${problem} (minute, hour, day of month, month, day of week)`);
  }
  return { kind: 'cron', expression, timeZone };
}

/** Throws SCHEDULE_INVALID. */
export function parseTiming({ cron, every, time_zone: timeZone }: TimingText): ScheduleTiming {
  if (cron !== undefined && every === undefined) return parseCron(cron, timeZone ?? 'UTC');
  if (cron !== undefined || every === undefined) return refuse('cron', 'give exactly one of cron and every');
  if (timeZone !== undefined) refuse('time_zone', 'intervals have no time zone; use cron for a time of the day');
  return { kind: 'interval', everyMs: parseInterval(every) };
}

/** The first tick after `afterMs`; undefined where there is none, such as on 30 February. */
export function findNextTickMs(timing: ScheduleTiming, afterMs: number): number | undefined {
  return listTicksMs(timing, afterMs, 1)[0];
}

/** Up to `count` ticks after `afterMs`, in order. */
export function listTicksMs(timing: ScheduleTiming, afterMs: number, count: number): number[] {
  if (timing.kind === 'cron')
    return createCron(timing.expression, timing.timeZone)
      .nextRuns(count, new Date(afterMs))
      .map((date) => date.getTime());
  const first = Math.floor(afterMs / timing.everyMs) + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * timing.everyMs);
}
