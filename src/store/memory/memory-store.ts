import { join } from 'node:path';
import type { Database, StorePositionOptions } from '../database.ts';
import { openDatabase } from '../engine.ts';
import type { Sql } from '../sql.ts';
import { memoryStoreKind } from './memory-schema.ts';

/** Opens the memory service's store in a data folder. Throws STORE_*. */
export function openMemoryStore(folder: string, position?: StorePositionOptions): Database {
  return openDatabase({ file: join(folder, 'memory.db'), createKind: memoryStoreKind, position });
}

/** A loss that was accepted is reported until the store's next commit: this is one. */
export function acceptMemoryPosition(sql: Sql): void {
  sql.execute('INSERT INTO store_position VALUES (1, 1) ON CONFLICT DO UPDATE SET commits = commits + 1');
}
