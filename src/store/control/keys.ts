/** Keys at rest: sealed data keys, and the hashes of the service keys (owner, scrape). */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

const DataKeyShape = Type.Object({ id: Type.Integer(), purpose: Type.String(), sealed: Type.Uint8Array() });
/** A data key, sealed by the master key. */
export type DataKeyRow = Static<typeof DataKeyShape>;

const dataKeyReader = createRowReader(DataKeyShape);
const hashReader = createRowReader(Type.Object({ kind: Type.String(), hash: Type.String() }));

/** Oldest first. */
export function listDataKeys(sql: Sql): DataKeyRow[] {
  return dataKeyReader.all(sql, 'SELECT id, purpose, sealed FROM data_keys ORDER BY id');
}

export function insertDataKey(sql: Sql, key: DataKeyRow, nowMs: number): void {
  sql.execute(
    'INSERT INTO data_keys (id, purpose, sealed, created_at_ms) VALUES (?, ?, ?, ?)',
    key.id,
    key.purpose,
    key.sealed,
    nowMs,
  );
}

export type ServiceKeyKind = 'owner' | 'scrape';

export function findServiceKeyHash(sql: Sql, kind: ServiceKeyKind): string | undefined {
  return hashReader.first(sql, 'SELECT kind, hash FROM service_keys WHERE kind = ?', kind)?.hash;
}

/** The previous key stops working at once. */
export function saveServiceKeyHash(sql: Sql, kind: ServiceKeyKind, hash: string, nowMs: number): void {
  sql.execute(
    `INSERT INTO service_keys (kind, hash, created_at_ms) VALUES (?, ?, ?)
       ON CONFLICT (kind) DO UPDATE SET hash = excluded.hash, created_at_ms = excluded.created_at_ms`,
    kind,
    hash,
    nowMs,
  );
}
