/** The control plane's store: opened, locked for one process, with its counters. */
import { join } from 'node:path';
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

/** Opens the store in `folder`. Throws STORE_IN_USE and what `openDatabase` throws. */
export async function openControlStore(folder: string, pid: number): Promise<ControlStore> {
  const lock: FolderLock = lockFolder(folder, 'control', pid);
  try {
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
