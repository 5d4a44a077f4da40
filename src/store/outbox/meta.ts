/** Single values of the executor's store. */
import { Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

/** `store_id`: made with the store, so that a control plane notices when the journal is gone. `instance`: as last welcomed. */
export type MetaName = 'store_id' | 'instance';

const valueReader = rowReader(Type.Object({ value: Type.String() }));

/** The value of `name`. */
export function readMeta(sql: Sql, name: MetaName): string | undefined {
  return valueReader.one(sql.prepare('SELECT value FROM meta WHERE name = ?'), name)?.value;
}

/** Sets `name`; what was there is replaced. */
export function writeMeta(sql: Sql, name: MetaName, value: string): void {
  sql
    .prepare('INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
    .run(name, value);
}
