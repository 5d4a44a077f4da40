/** The clock of a control plane: it continues from the last time that the store knows, and is stored every minute. */
import type { Clock } from '../environment/clock.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';
import { findClockState, saveClockState } from '../store/control/counters.ts';
import type { Database } from '../store/database.ts';
import { repeatEvery } from '../timing/repeat.ts';
import {
  type ClockJump,
  createSteadyClock,
  type SteadyClock,
  type SteadyClockOptions,
} from '../timing/steady-clock.ts';

const saveIntervalMs = 60_000;

export async function openSteadyClock(
  clock: Clock,
  database: Database,
  options: Omit<SteadyClockOptions, 'stored'>,
): Promise<SteadyClock> {
  const row = await database.read(findClockState);
  const stored = row && { trustedMs: row.trusted_ms, candidateMs: row.candidate_ms, agreedMs: row.agreed_ms };
  return createSteadyClock(clock, { ...options, stored });
}

/** Returns a function that stops it after a last write. */
export function storeClockState(
  clock: SteadyClock,
  database: Database,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const save = (): Promise<void> => {
    const { trustedMs, candidateMs, agreedMs } = clock.toStored();
    const row = { trusted_ms: trustedMs, candidate_ms: candidateMs, agreed_ms: agreedMs };
    return database.write((sql) => saveClockState(sql, row));
  };
  const stop = repeatEvery(clock, saveIntervalMs, save, onError);
  void save().catch(onError);
  return () => {
    stop();
    // The next start takes the write before.
    return save().catch(() => undefined);
  };
}

const hourMs = 3_600_000;

function formatSpan(spanMs: number): string {
  const ms = Math.abs(spanMs);
  if (ms >= 48 * hourMs) return `${Math.round(ms / (24 * hourMs))} days`;
  return ms >= hourMs ? `${Math.round(ms / hourMs)} h` : `${Math.max(1, Math.round(ms / 60_000))} min`;
}

export function createClockWarning({ byMs, isFollowed, waitMs }: ClockJump): VpError {
  const consequence = isFollowed
    ? 'nothing is deleted by age for now'
    : 'its time is not used, and nothing is deleted by age for now';
  const jump = `${formatSpan(byMs)} ${byMs > 0 ? 'ahead' : 'back'}`;
  return vpError('CLOCK_JUMPED', { jump, consequence, wait: formatSpan(waitMs) });
}
