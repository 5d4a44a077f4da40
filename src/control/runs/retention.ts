/** Retention as a background task, in small steps so that no request waits for it. */

import { expireDeliveries } from '../../store/control/notifications/deliveries.ts';
import {
  clearExpiredScenarioTexts,
  deleteExpiredBodies,
  expireLateReports,
  expireReports,
  expireRequestKeys,
  getStoredBytes,
} from '../../store/control/runs/retention.ts';
import { expireTicks } from '../../store/control/schedules/ticks.ts';
import type { Database } from '../../store/database.ts';
import { repeatEvery } from '../../timing/repeat.ts';
import type { ControlContext } from '../context.ts';

const intervalMs = 10 * 60_000;
/** Beyond the limit of size there is at most what arrives in this time. */
const sizeIntervalMs = 5_000;
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
export async function applyRetention(context: ControlContext): Promise<void> {
  const { store, clock, settings } = context;
  if (clock.isSettled()) await applyAgeLimits(store.database, clock.nowMs(), settings);
  await applySizeLimit(context);
}

/** Independent of the clock: the oldest are those with the lowest ids. */
async function applySizeLimit({ store: { database }, settings }: ControlContext): Promise<void> {
  const isWithinLimit = async (): Promise<boolean> => (await database.read(getStoredBytes)) <= settings.storedMaxBytes;
  await repeatUntilDone(database, (sql) => deleteExpiredBodies(sql, Number.MAX_SAFE_INTEGER), isWithinLimit);
  await repeatUntilDone(database, (sql) => expireReports(sql, Number.MAX_SAFE_INTEGER), isWithinLimit);
  await repeatUntilDone(database, (sql) => expireLateReports(sql, Number.MAX_SAFE_INTEGER), isWithinLimit);
  // Other work goes on between the steps.
  while (database.shrink()) await new Promise((resolve) => setImmediate(resolve));
}

async function applyAgeLimits(database: Database, nowMs: number, settings: ControlContext['settings']): Promise<void> {
  const neverEnough = async (): Promise<boolean> => false;
  await repeatUntilDone(database, (sql) => deleteExpiredBodies(sql, nowMs - settings.bodyMaxAgeMs), neverEnough);
  await repeatUntilDone(database, (sql) => expireReports(sql, nowMs - settings.reportMaxAgeMs), neverEnough);
  await repeatUntilDone(database, (sql) => expireLateReports(sql, nowMs - settings.reportMaxAgeMs), neverEnough);
  await repeatUntilDone(
    database,
    (sql) => clearExpiredScenarioTexts(sql, nowMs - settings.reportMaxAgeMs),
    neverEnough,
  );
  await repeatUntilDone(database, (sql) => expireTicks(sql, nowMs - settings.reportMaxAgeMs), neverEnough);
  await repeatUntilDone(database, (sql) => expireDeliveries(sql, nowMs - settings.reportMaxAgeMs), neverEnough);
  await database.write((sql) => expireRequestKeys(sql, nowMs - dayMs));
}

/** Runs {@link applyRetention} every ten minutes, and its limit of size every few seconds; the returned function stops both. */
export function scheduleRetention(context: ControlContext, onError: (error: unknown) => void): () => void {
  const stops = [
    repeatEvery(context.clock, intervalMs, () => applyRetention(context), onError),
    repeatEvery(context.clock, sizeIntervalMs, () => applySizeLimit(context), onError),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
