/** The times of a stored schedule: its ticks, with jitter, and those that passed while nothing ran. */
import { hash } from 'node:crypto';
import type { ScheduleDefinition } from '../../contract/schedules-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { findNextTickMs, listTicksMs, parseTiming, type ScheduleTiming } from '../../schedule/timing.ts';
import type { ScheduleKey, ScheduleRow, TickTime } from '../../store/control/schedules/schedules.ts';

export const noTick: TickTime = { tickAtMs: null, dueAtMs: null };
/** More missed ticks are not counted. */
export const maxCountedTicks = 1000;

/** Undefined for schedules without times. Throws SCHEDULE_INVALID. */
export function toTiming({ on, ...text }: ScheduleDefinition): ScheduleTiming | undefined {
  if (on === undefined) return parseTiming(text);
  for (const member of ['cron', 'every', 'time_zone', 'jitter_s', 'missed'] as const)
    if (text[member] !== undefined)
      throw vpError('SCHEDULE_INVALID', { member, problem: `is for times, and has no meaning with on: ${on}` });
  return undefined;
}

/** Throws SCHEDULE_INVALID. */
export function assertValidDefinition(definition: ScheduleDefinition, nowMs: number): void {
  const timing = toTiming(definition);
  if (!timing) return;
  const ticks = listTicksMs(timing, nowMs, 6);
  if (ticks.length === 0) throw vpError('SCHEDULE_INVALID', { member: 'cron', problem: 'is never due' });
  const gaps = ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0));
  if ((definition.jitter_s ?? 0) * 1000 < Math.min(...gaps, Number.POSITIVE_INFINITY)) return;
  throw vpError('SCHEDULE_INVALID', { member: 'jitter_s', problem: 'must be shorter than the time between two ticks' });
}

/** The same for one tick after every restart and in every process. */
function getDueMs({ instance, id }: ScheduleKey, { jitter_s: jitter = 0 }: ScheduleDefinition, tickMs: number): number {
  if (jitter === 0) return tickMs;
  const share = Number.parseInt(hash('sha256', `${instance}/${id}/${tickMs}`).slice(0, 8), 16) / 2 ** 32;
  return tickMs + Math.floor(share * jitter * 1000);
}

/** The first tick after `afterMs`. */
export function findNextTick(key: ScheduleKey, definition: ScheduleDefinition, afterMs: number): TickTime {
  const timing = toTiming(definition);
  const tickAtMs = timing && findNextTickMs(timing, afterMs);
  return tickAtMs === undefined ? noTick : { tickAtMs, dueAtMs: getDueMs(key, definition, tickAtMs) };
}

export type ElapsedTicks = {
  /** The newest tick that is due. */
  readonly newestMs: number;
  readonly newestDueMs: number;
  readonly firstMs: number;
  /** Ticks before the newest one, at most `maxCountedTicks`. */
  readonly earlierCount: number;
};

/** The ticks of a schedule, from its next one to those due now; undefined when none is. */
export function listElapsedTicks(
  row: ScheduleRow,
  definition: ScheduleDefinition,
  nowMs: number,
): ElapsedTicks | undefined {
  const timing = toTiming(definition);
  const firstMs = row.tick_at_ms;
  if (!timing || firstMs === null || row.due_at_ms === null || row.due_at_ms > nowMs) return undefined;
  const key = { instance: row.instance_id, id: row.id };
  const toDueMs = (tickMs: number): number => getDueMs(key, definition, tickMs);
  const isDue = (tickMs: number): boolean => toDueMs(tickMs) <= nowMs;
  let counted = [firstMs, ...listTicksMs(timing, firstMs, maxCountedTicks).filter(isDue)];
  // After a long pause: the last hours decide which tick is the newest one.
  for (let lookBackMs = 3_600_000; counted.length > maxCountedTicks && lookBackMs < 400 * 86_400_000; lookBackMs *= 4) {
    const recent = listTicksMs(timing, Math.max(firstMs, nowMs - lookBackMs), maxCountedTicks).filter(isDue);
    if (recent.length === 0) continue;
    counted = [...counted.slice(0, maxCountedTicks), recent.at(-1) ?? firstMs];
    break;
  }
  const newestMs = counted.at(-1) ?? firstMs;
  return { newestMs, firstMs, newestDueMs: toDueMs(newestMs), earlierCount: counted.length - 1 };
}
