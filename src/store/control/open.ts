/** The control plane's store: opened, locked for one process, with its counters. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';
import { type Database, openDatabase } from '../database.ts';
import { type FolderLock, lockFolder } from '../lock.ts';
import { type Counters, countersOf } from './counters.ts';
import { controlStoreKind } from './schema.ts';

/** The database, its counters, and the lock that keeps a second control plane out. */
export type ControlStore = { readonly database: Database; readonly counters: Counters; close(): Promise<void> };

/** The file of the store in its data folder. */
export function controlStoreFile(folder: string): string {
  return join(folder, 'control.db');
}

/** Files that stand beside a store only once something was written to it. */
const witnesses = ['control.db-wal', 'master.key', 'audit.db'];

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** A full disk or a copy that broke off leaves an empty file: to SQLite it is a new store, and all would be gone in silence. */
function refuseEmptied(folder: string): void {
  const file = controlStoreFile(folder);
  if (sizeOf(file) !== 0) return;
  const witness = witnesses.find((name) => (sizeOf(join(folder, name)) ?? 0) > 0);
  if (witness !== undefined) throw vpError('STORE_CORRUPT', { file }, { detail: `it is empty, and ${witness} is not` });
}

/** Opens the store in `folder`. Throws STORE_IN_USE and what `openDatabase` throws. */
export async function openControlStore(folder: string, pid: number): Promise<ControlStore> {
  const lock: FolderLock = lockFolder(folder, 'control', pid);
  try {
    refuseEmptied(folder);
    const database = openDatabase({ file: controlStoreFile(folder), kind: controlStoreKind });
    const counters = await database.read(countersOf);
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
