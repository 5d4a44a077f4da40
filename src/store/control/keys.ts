/** Keys at rest: sealed data keys, and the hashes of the service keys (owner, scrape). */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const DataKeyShape = Type.Object({ id: Type.Integer(), purpose: Type.String(), sealed: Type.Uint8Array() });
/** A data key, sealed by the master key. */
export type DataKeyRow = Static<typeof DataKeyShape>;

const dataKeys = rowReader(DataKeyShape);
const hashes = rowReader(Type.Object({ kind: Type.String(), hash: Type.String() }));

/** All data keys, oldest first. */
export function listDataKeys(sql: Sql): DataKeyRow[] {
  return dataKeys.all(sql.prepare('SELECT id, purpose, sealed FROM data_keys ORDER BY id'));
}

/** Adds a data key. */
export function insertDataKey(sql: Sql, key: DataKeyRow, nowMs: number): void {
  sql
    .prepare('INSERT INTO data_keys (id, purpose, sealed, created_at_ms) VALUES (?, ?, ?, ?)')
    .run(key.id, key.purpose, key.sealed, nowMs);
}

/** A service key. */
export type ServiceKind = 'owner' | 'scrape';

/** The hash of a service key; undefined when none was made. */
export function serviceHash(sql: Sql, kind: ServiceKind): string | undefined {
  return hashes.one(sql.prepare('SELECT kind, hash FROM service_keys WHERE kind = ?'), kind)?.hash;
}

/** Replaces a service key; the old one ends at once. */
export function setServiceHash(sql: Sql, kind: ServiceKind, hash: string, nowMs: number): void {
  sql
    .prepare(
      `INSERT INTO service_keys (kind, hash, created_at_ms) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET hash = excluded.hash, created_at_ms = excluded.created_at_ms`,
    )
    .run(kind, hash, nowMs);
}
