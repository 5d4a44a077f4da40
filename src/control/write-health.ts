/** Whether the control plane's store can be written, by what its own writes say, and how long they take. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import type { ControlStore } from '../store/control/control-store.ts';
import { discardReadinessBallast } from '../store/control/control-store.ts';
import type { Database } from '../store/database.ts';

/** `database` is the observed one. `assertWritable` throws STORE_DISK_FULL and other STORE_*. */
export type ObservedWrites = {
  readonly database: Database;
  assertWritable(): Promise<void>;
  /** `listener` gets the time of each committed write, from its request on. */
  onWritten(listener: (durationMs: number) => void): void;
};

/** With less than this, the next run may not fit, although a write that needs no new page succeeds. */
const minFreeBytes = 262_144;

function isStoreFailure(error: unknown): boolean {
  return error instanceof VpError && error.code.startsWith('STORE_') && error.code !== 'STORE_CLOSED';
}

export function observeWrites(
  { database, getState }: Pick<ControlStore, 'database' | 'getState'>,
  clock: Pick<Clock, 'monotonicMs'>,
): ObservedWrites {
  let hasFailed = false;
  let report = (_durationMs: number): void => {};

  async function observe<T>(perform: () => Promise<T>): Promise<T> {
    const startMs = clock.monotonicMs();
    try {
      const value = await perform();
      report(clock.monotonicMs() - startMs);
      return value;
    } catch (error) {
      hasFailed ||= isStoreFailure(error);
      throw error;
    }
  }

  return {
    database: {
      ...database,
      write: (operation) => observe(() => database.write(operation)),
      writeAndRead: (operation, reading) => observe(() => database.writeAndRead(operation, reading)),
    },
    onWritten(listener) {
      report = listener;
    },
    async assertWritable() {
      const disk = getState().engine === 'sqlite' ? await readDisk(database.file) : undefined;
      if (disk && disk.bavail * disk.bsize < minFreeBytes) throw vpError('STORE_DISK_FULL', { file: database.file });
      if (!hasFailed) return;
      // A small write may fit into pages that are free: the failed one did not.
      await database.write((sql) => discardReadinessBallast(sql, minFreeBytes));
      hasFailed = false;
    },
  };
}

/** Undefined where the platform or the file system cannot tell: then a write decides. */
function readDisk(file: string): Promise<{ readonly bavail: number; readonly bsize: number } | undefined> {
  return statfs(dirname(file)).catch(() => undefined);
}
