/** The executor's store, locked for one process. */
import { join } from 'node:path';
import { type Database, openDatabase } from '../database.ts';
import { lockFolder } from '../lock.ts';
import { outboxStoreKind } from './schema.ts';

/** The database and the lock that keeps a second executor out. */
export type OutboxStore = { readonly database: Database; close(): Promise<void> };

/** Opens `executor.db` in `folder`. Throws STORE_IN_USE and what `openDatabase` throws. */
export function openOutboxStore(folder: string, pid: number): OutboxStore {
  const lock = lockFolder(folder, 'executor', pid);
  try {
    const database = openDatabase({ file: join(folder, 'executor.db'), kind: outboxStoreKind });
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
