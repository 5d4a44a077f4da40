/** Lets a control plane continue with stores that have lost changes, and records that. */
import { existsSync } from 'node:fs';
import type { Clock } from '../environment/clock.ts';
import { formatError, type VpError } from '../errors/vp-error.ts';
import { type AcceptedLoss, listAcceptedLosses, saveAcceptedLosses } from '../store/control/accepted-losses.ts';
import { openControlStore } from '../store/control/control-store.ts';
import { settleRestoredStore } from '../store/control/settle-restored.ts';
import { getStorePositionFile } from '../store/engine.ts';
import { acceptMemoryPosition, openMemoryStore } from '../store/memory/memory-store.ts';
import { getStoreFile } from '../store/store-files.ts';

/** `accepted` are the losses of this call, `earlier` those of earlier ones; the numbers of runs that were ended and cancelled. */
export type AcceptedLosses = {
  readonly accepted: readonly AcceptedLoss[];
  readonly earlier: readonly AcceptedLoss[];
  readonly ended: number;
  readonly cancelled: number;
};

/**
 * Accepts what the stores in `folder` have lost. The control plane's store is settled as after a restore, because executors and
 * people know what it forgot. Throws STORE_DAMAGED, STORE_IN_USE and other STORE_*: damage cannot be accepted.
 */
export async function acceptLoss({
  folder,
  clock,
  pid,
}: {
  readonly folder: string;
  readonly clock: Clock;
  readonly pid: number;
}): Promise<AcceptedLosses> {
  const accepted: AcceptedLoss[] = [];
  const onLoss =
    (store: string) =>
    ({ message }: VpError): void =>
      void accepted.push({ at_ms: clock.nowMs(), store, problem: message });
  const store = await openControlStore({ folder, pid, onLoss: onLoss('control') });
  try {
    const hasLostRuns = accepted.length > 0;
    // Opened before anything is recorded: if it is damaged, nothing is accepted.
    const memoryFile = getStoreFile(folder, 'memory');
    const memory = [memoryFile, getStorePositionFile(memoryFile)].some((file) => existsSync(file))
      ? openMemoryStore(folder, { role: 'owner', pid, onLoss: onLoss('memory') })
      : undefined;
    const failure = formatError('RUN_EXECUTOR_LOST', { instance: 'this run', reason: 'control plane lost changes' });
    const { database, counters } = store;
    const earlier = await database.read(listAcceptedLosses);
    const counts = await database.write((sql) => {
      if (accepted.length > 0) saveAcceptedLosses(sql, accepted);
      return hasLostRuns ? settleRestoredStore(sql, counters, clock.nowMs(), failure) : { ended: 0, cancelled: 0 };
    });
    await memory?.write(acceptMemoryPosition);
    await memory?.close();
    return { accepted, earlier, ...counts };
  } finally {
    await store.close();
  }
}
