/** Retention as a background task: small steps with pauses, so that no request waits for it. */

import {
  expireBodies,
  expireLateReports,
  expireReports,
  expireRequestKeys,
  expireTexts,
  storedBytes,
} from '../store/control/retention.ts';
import type { Database } from '../store/database.ts';
import type { ControlContext } from './context.ts';

const everyMs = 10 * 60_000;
const dayMs = 86_400_000;

/** Repeats a deleting step until it deletes nothing or `enough` says so. */
async function repeat(
  database: Database,
  step: (sql: Parameters<Parameters<Database['write']>[0]>[0]) => number,
  enough: () => Promise<boolean>,
): Promise<void> {
  while (!(await enough()) && (await database.write(step)) > 0);
}

/** One round: by age, then by size; bodies before reports. */
export async function applyRetention({ store, clock, settings }: ControlContext): Promise<void> {
  const { database } = store;
  const nowMs = clock.nowMs();
  const never = async (): Promise<boolean> => false;
  const fits = async (): Promise<boolean> => (await database.read(storedBytes)) <= settings.storedMaxBytes;
  await repeat(database, (sql) => expireBodies(sql, nowMs - settings.bodyMaxAgeMs), never);
  await repeat(database, (sql) => expireReports(sql, nowMs - settings.reportMaxAgeMs), never);
  await repeat(database, (sql) => expireLateReports(sql, nowMs - settings.reportMaxAgeMs), never);
  await repeat(database, (sql) => expireTexts(sql, nowMs - settings.reportMaxAgeMs), never);
  await repeat(database, (sql) => expireBodies(sql, nowMs), fits);
  await repeat(database, (sql) => expireReports(sql, nowMs), fits);
  await repeat(database, (sql) => expireLateReports(sql, nowMs), fits);
  await database.write((sql) => expireRequestKeys(sql, nowMs - dayMs));
}

/** Runs {@link applyRetention} every ten minutes; the returned function stops that. */
export function keepRetention(context: ControlContext, onFault: (fault: unknown) => void): () => void {
  let cancel = context.clock.after(everyMs, round);
  let stopped = false;
  function round(): void {
    void applyRetention(context)
      .catch((fault: unknown) => (stopped ? undefined : onFault(fault)))
      .finally(() => {
        if (!stopped) cancel = context.clock.after(everyMs, round);
      });
  }
  return () => {
    stopped = true;
    cancel();
  };
}
