/** Which versions the stores of a control plane have, and bringing them to the newest one without starting it. */
import { existsSync } from 'node:fs';
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import { openControlStore } from './control/control-store.ts';
import { openAuditDatabase, openDatabase, readStoreVersion } from './engine.ts';
import { connectPostgres } from './postgres/connect.ts';
import type { PostgresSettings } from './postgres/connection-settings.ts';
import { listStoreVersions, type StoreVersion } from './postgres/store-versions.ts';
import { openPostgresStores, postgresStoreKinds } from './postgres/stores.ts';
import { backedUpStores, getStoreFile } from './store-files.ts';

/** Larger than any audit: opening it deletes nothing. */
export const maxAuditBytes = 1e12;

/** Throws STORE_ABSENT, STORE_FOREIGN, STORE_NEWER and other STORE_*. Changes nothing. */
export function listFolderVersions(folder: string): StoreVersion[] {
  const control = getStoreFile(folder, 'control');
  if (!existsSync(control)) throw vpError('STORE_ABSENT', { file: control });
  return backedUpStores.flatMap(({ name, kind }) => {
    const file = getStoreFile(folder, name);
    // The others are created when a hub first needs them.
    if (!existsSync(file)) return [];
    return [assertKnown({ store: name, found: readStoreVersion(file, kind), known: kind.migrations.length }, file)];
  });
}

function assertKnown(version: StoreVersion, label: string): StoreVersion {
  const { found, known } = version;
  if (found !== undefined && found > known) throw vpError('STORE_NEWER', { file: label, found, known });
  return version;
}

/** Throws STORE_DATABASE_*, STORE_FOREIGN, STORE_NEWER. Changes nothing. */
export async function listDatabaseVersions(
  settings: PostgresSettings,
  clock: Pick<Clock, 'after'>,
): Promise<StoreVersion[]> {
  const label = `${settings.address}/${settings.database}`;
  const { client, describeError } = await connectPostgres(settings, { clock });
  try {
    const versions = await listStoreVersions(client, postgresStoreKinds, label);
    return versions.map((version) => assertKnown(version, label));
  } catch (error) {
    throw describeError(error);
  } finally {
    await client.end();
  }
}

/** Nothing else may use the folder: throws STORE_IN_USE, and what opening a store throws. */
export async function migrateFolder(folder: string, pid: number): Promise<void> {
  const store = await openControlStore({ folder, pid });
  try {
    for (const { name, kind } of backedUpStores) {
      const file = getStoreFile(folder, name);
      if (name === 'control' || !existsSync(file)) continue;
      const database =
        name === 'audit' ? openAuditDatabase(file, maxAuditBytes) : openDatabase({ file, createKind: kind });
      await database.close();
    }
  } finally {
    await store.close();
  }
}

/** Replicas may be running. Throws STORE_DATABASE_* and STORE_*. */
export async function migrateDatabase(settings: PostgresSettings, clock: Pick<Clock, 'after'>): Promise<void> {
  const stores = await openPostgresStores({ settings, clock, hints: { kind: 'announce' } });
  await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
  await stores.close();
}
