/** Brings the stores of a database to the newest version, on a connection of its own. */
import type { ClientBase, ClientConfig } from 'pg';
import { type BackupStoreName, backupStoreNames } from '../store-files.ts';
import { type ConnectOptions, connectPostgres } from './connect.ts';
import type { PostgresSettings } from './connection-settings.ts';
import { assertNoCopyMark } from './copy-mark.ts';
import { endConnection } from './end-connection.ts';
import { type CommitState, readCommits } from './foreign-commits.ts';
import { migrateStore, type PostgresStoreKind } from './migrate.ts';
import type { DatabaseServerInfo } from './server-requirements.ts';

export type PreparedStores = {
  readonly server: DatabaseServerInfo;
  readonly commits: Readonly<Record<BackupStoreName, CommitState>>;
};

export type StorePreparation = {
  readonly settings: PostgresSettings;
  readonly clock: ConnectOptions['clock'];
  readonly kinds: readonly PostgresStoreKind[];
  readonly clientOptions: ClientConfig;
  readonly label: string;
};

/**
 * The time limit of answers in `clientOptions` does not hold here: a step of a migration takes as long as its tables are large. Throws
 * STORE_*.
 */
export async function prepareStores({
  settings,
  clock,
  kinds,
  clientOptions,
  label,
}: StorePreparation): Promise<PreparedStores> {
  const options = { clock, clientOptions: { ...clientOptions, query_timeout: 0 } };
  const { client, server, describeError } = await connectPostgres(settings, options);
  try {
    await assertNoCopyMark(client, label);
    for (const kind of kinds) await migrateStore(client, kind, label);
    return { server, commits: await readAllCommits(client) };
  } catch (error) {
    throw describeError(error);
  } finally {
    await endConnection(client);
  }
}

async function readAllCommits(client: ClientBase): Promise<PreparedStores['commits']> {
  const commits: [BackupStoreName, CommitState][] = [];
  for (const store of backupStoreNames) commits.push([store, await readCommits(client, store)]);
  return Object.fromEntries(commits) as Record<BackupStoreName, CommitState>;
}
