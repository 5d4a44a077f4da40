import { join } from 'node:path';
import type { Database } from '../database.ts';
import { openDatabase } from '../engine.ts';
import { memoryStoreKind } from './memory-schema.ts';

/** Opens the memory service's store in a data folder. Throws STORE_*. */
export function openMemoryStore(folder: string): Database {
  return openDatabase({ file: join(folder, 'memory.db'), createKind: memoryStoreKind });
}
