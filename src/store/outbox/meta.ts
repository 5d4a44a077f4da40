import { Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

/**
 * `store_id` is created with the store, so that a control plane notices a lost journal. `instance` is the one of the last
 * hello.
 */
export type OutboxMetaName = 'store_id' | 'instance';

const valueReader = createRowReader(Type.Object({ value: Type.String() }));

export function readOutboxMeta(sql: Sql, name: OutboxMetaName): string | undefined {
  return valueReader.first(sql, 'SELECT value FROM meta WHERE name = ?', name)?.value;
}

/** Replaces an earlier value. */
export function writeOutboxMeta(sql: Sql, name: OutboxMetaName, value: string): void {
  sql.run(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    value,
  );
}
