import { statSync } from 'node:fs';
import { join } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';
import type { Database, FolderLock } from '../database.ts';
import { lockFolder, openDatabase } from '../engine.ts';
import { type Counters, loadCounters } from './counters.ts';
import { controlStoreKind } from './schema/control-schema.ts';

/** The database, its counters, and the lock that keeps a second control plane out. */
export type ControlStore = { readonly database: Database; readonly counters: Counters; close(): Promise<void> };

export function getControlStoreFile(folder: string): string {
  return join(folder, 'control.db');
}

/** Files that exist beside a store only after something was written to it. */
const companionFiles = ['control.db-wal', 'master.key', 'audit.db'];

function getSize(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/**
 * A full disk or an interrupted copy leaves an empty file, which SQLite would open as a new store: all data would be lost
 * silently.
 */
function assertNotTruncated(folder: string): void {
  const file = getControlStoreFile(folder);
  if (getSize(file) !== 0) return;
  const companion = companionFiles.find((name) => (getSize(join(folder, name)) ?? 0) > 0);
  if (companion !== undefined)
    throw vpError('STORE_CORRUPT', { file }, { detail: `it is empty, and ${companion} is not` });
}

/** Opens a control store without its lock: a copy, or beside the control plane that has it open. Throws STORE_*. */
export function openControlDatabase(file: string): Database {
  return openDatabase({ file, createKind: controlStoreKind });
}

/** Opens the store in `folder`. Throws STORE_IN_USE and what {@link openControlDatabase} throws. */
export async function openControlStore(folder: string, pid: number): Promise<ControlStore> {
  const lock: FolderLock = lockFolder(folder, 'control', pid);
  try {
    assertNotTruncated(folder);
    const database = openControlDatabase(getControlStoreFile(folder));
    const counters = await database.read(loadCounters);
    return {
      database,
      counters,
      async close() {
        await database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
