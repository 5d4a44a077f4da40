import { join } from 'node:path';
import type { Database } from '../database.ts';
import { lockFolder, openDatabase } from '../engine.ts';
import { outboxStoreKind } from './outbox-schema.ts';

/** The database and the lock that keeps a second executor out. */
export type OutboxStore = { readonly database: Database; close(): Promise<void> };

/** Opens `executor.db` in `folder`. Throws STORE_IN_USE and other STORE_*. */
export function openOutboxStore(folder: string, pid: number): OutboxStore {
  const lock = lockFolder(folder, 'executor', pid);
  try {
    const database = openDatabase({ file: join(folder, 'executor.db'), createKind: outboxStoreKind });
    return {
      database,
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
