import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { VpError } from '../../errors/vp-error.ts';
import type { Database } from '../database.ts';
import { lockFolder, openDatabase } from '../engine.ts';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';
import { outboxStoreKind } from './outbox-schema.ts';

/**
 * The database and the lock that keeps a second executor out. `loss`: the journal has lost commits. The executor goes on, because
 * the control plane never gives it a run again that it may have started; reports that were only there are gone.
 * `fileIdentity`: `readFileIdentity` of the store.
 */
export type OutboxStore = {
  readonly database: Database;
  readonly loss: VpError | undefined;
  readonly fileIdentity: string;
  close(): Promise<void>;
};

/**
 * Which file of its file system this is: a copy of it is another one, and a file that was moved, changed or overwritten in place
 * is the same. The number of the device is left out, because it changes when a machine starts.
 */
export function readFileIdentity(file: string): string {
  const { ino, birthtimeNs } = statSync(file, { bigint: true });
  return `${ino}:${birthtimeNs}`;
}

/** Opens `executor.db` in `folder`. Throws STORE_DAMAGED, STORE_IN_USE and other STORE_*. */
export function openOutboxStore(folder: string, pid: number): OutboxStore {
  const lock = lockFolder(folder, 'executor', pid);
  try {
    let loss: VpError | undefined;
    const onLoss = (error: VpError): void => {
      loss = error;
    };
    const position = { role: 'owner', pid, onLoss } as const;
    const file = join(folder, 'executor.db');
    const database = openDatabase({ file, createKind: outboxStoreKind, position });
    return {
      ...{ database, loss, fileIdentity: readFileIdentity(file) },
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

/**
 * `store_id` is created with the store, so that a control plane notices a lost journal. `instance` is the one of the last
 * hello. `position` is JSON, written with every change. `file` is the identity of the file that the last start had open.
 */
type OutboxMetaName = 'store_id' | 'instance' | 'position' | 'file';

const valueReader = createRowReader(Type.Object({ value: Type.String() }));

export function readOutboxMeta(sql: Sql, name: OutboxMetaName): string | undefined {
  return valueReader.first(sql, 'SELECT value FROM meta WHERE name = ?', name)?.value;
}

/** Replaces an earlier value. */
export function writeOutboxMeta(sql: Sql, name: OutboxMetaName, value: string): void {
  sql.execute(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    value,
  );
}
