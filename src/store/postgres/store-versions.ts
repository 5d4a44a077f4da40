/** Which versions of the stores a database has, without changing it. */
import type { ClientBase } from 'pg';
import { vpError } from '../../errors/vp-error.ts';
import type { BackupStoreName } from '../store-files.ts';
import { sharedSchemaKind } from './shared-schema.ts';

type KnownKind = {
  readonly name: BackupStoreName;
  readonly applicationId: number;
  readonly migrations: readonly string[];
};

/** `found` is undefined where the store has not been created. */
export type StoreVersion = {
  readonly store: BackupStoreName | 'shared';
  readonly found: number | undefined;
  readonly known: number;
};

/** Throws STORE_FOREIGN. `label` names the database in errors. */
export async function listStoreVersions(
  client: ClientBase,
  kinds: readonly KnownKind[],
  label: string,
): Promise<StoreVersion[]> {
  const tables = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'vp' AND tablename = 'stores'");
  type Row = { readonly name: string; readonly application_id: string | number; readonly version: number };
  const rows =
    tables.rows.length === 0
      ? []
      : (await client.query<Row>('SELECT name, application_id, version FROM vp.stores')).rows;
  return [{ name: 'shared', ...sharedSchemaKind } as const, ...kinds].map(({ name, applicationId, migrations }) => {
    const row = rows.find((candidate) => candidate.name === name);
    if (row && Number(row.application_id) !== applicationId) throw vpError('STORE_FOREIGN', { file: label });
    return { store: name, found: row?.version, known: migrations.length };
  });
}

/** Throws STORE_NEWER where a newer version has migrated a store, and STORE_FOREIGN. */
export async function assertNotNewer(client: ClientBase, kinds: readonly KnownKind[], label: string): Promise<void> {
  for (const { found = 0, known } of await listStoreVersions(client, kinds, label))
    if (found > known) throw vpError('STORE_NEWER', { file: label, found, known });
}

/** A copy needs the newest version. Throws STORE_DATABASE_EMPTY, STORE_OUTDATED, STORE_NEWER. */
export function assertCurrentVersions(versions: readonly StoreVersion[], label: string): void {
  for (const { found, known } of versions) {
    if (found === undefined) throw vpError('STORE_DATABASE_EMPTY', { database: label });
    if (found > known) throw vpError('STORE_NEWER', { file: label, found, known });
    if (found < known) throw vpError('STORE_OUTDATED', { file: label, found, known });
  }
}
