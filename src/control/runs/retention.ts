/** Retention as a background task, in small steps so that no request waits for it. */

import {
  expireBodies,
  expireLateReports,
  expireReports,
  expireRequestKeys,
  expireTexts,
  getStoredBytes,
} from '../../store/control/runs/retention.ts';
import type { Database } from '../../store/database.ts';
import type { ControlContext } from '../context.ts';

const intervalMs = 10 * 60_000;
const dayMs = 86_400_000;

/** Repeats a step until it deletes nothing or `isEnough` returns true. */
async function repeatUntilDone(
  database: Database,
  deleteStep: (sql: Parameters<Parameters<Database['write']>[0]>[0]) => number,
  isEnough: () => Promise<boolean>,
): Promise<void> {
  while (!(await isEnough()) && (await database.write(deleteStep)) > 0);
}

/** By age, then by size; bodies before reports. */
export async function applyRetention({ store, clock, settings }: ControlContext): Promise<void> {
  const { database } = store;
  const nowMs = clock.nowMs();
  const neverEnough = async (): Promise<boolean> => false;
  const isWithinLimit = async (): Promise<boolean> => (await database.read(getStoredBytes)) <= settings.storedMaxBytes;
  await repeatUntilDone(database, (sql) => expireBodies(sql, nowMs - settings.bodyMaxAgeMs), neverEnough);
  await repeatUntilDone(database, (sql) => expireReports(sql, nowMs - settings.reportMaxAgeMs), neverEnough);
  await repeatUntilDone(database, (sql) => expireLateReports(sql, nowMs - settings.reportMaxAgeMs), neverEnough);
  await repeatUntilDone(database, (sql) => expireTexts(sql, nowMs - settings.reportMaxAgeMs), neverEnough);
  await repeatUntilDone(database, (sql) => expireBodies(sql, nowMs), isWithinLimit);
  await repeatUntilDone(database, (sql) => expireReports(sql, nowMs), isWithinLimit);
  await repeatUntilDone(database, (sql) => expireLateReports(sql, nowMs), isWithinLimit);
  await database.write((sql) => expireRequestKeys(sql, nowMs - dayMs));
}

/** Runs {@link applyRetention} every ten minutes; the returned function stops it. */
export function scheduleRetention(context: ControlContext, onError: (error: unknown) => void): () => void {
  let cancel = context.clock.after(intervalMs, runRound);
  let stopped = false;
  function runRound(): void {
    void applyRetention(context)
      .catch((error: unknown) => (stopped ? undefined : onError(error)))
      .finally(() => {
        if (!stopped) cancel = context.clock.after(intervalMs, runRound);
      });
  }
  return () => {
    stopped = true;
    cancel();
  };
}
