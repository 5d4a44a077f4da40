/** Brings the stores of a database to the newest version, on a connection of its own. */
import type { ClientConfig } from 'pg';
import { type BackupStoreName, backupStoreNames } from '../store-files.ts';
import { type ConnectOptions, connectPostgres } from './connect.ts';
import type { PostgresSettings } from './connection-settings.ts';
import { assertNoCopyMark } from './copy-mark.ts';
import { endConnection } from './end-connection.ts';
import { type CommitState, readCommits } from './foreign-commits.ts';
import { migrateStore, type PostgresStoreKind } from './migrate.ts';
import type { DatabaseServerInfo } from './server-requirements.ts';
import type { StoreSession } from './session.ts';

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
  /** Ends it, also within a step of a migration. */
  readonly signal?: AbortSignal | undefined;
};

/** The time limit of answers in `clientOptions` holds for everything but the steps of a migration. Throws STORE_*. */
export async function prepareStores({
  settings,
  clock,
  kinds,
  clientOptions,
  label,
  signal,
}: StorePreparation): Promise<PreparedStores> {
  const { client, server, describeError } = await connectPostgres(settings, { clock, clientOptions });
  const disconnect = (): void => void client.connection.stream.destroy();
  signal?.addEventListener('abort', disconnect);
  try {
    signal?.throwIfAborted();
    await assertNoCopyMark(client, label);
    for (const kind of kinds) await migrateStore(client, kind, label);
    return { server, commits: await readAllCommits({ client, server }) };
  } catch (error) {
    throw describeError(error);
  } finally {
    signal?.removeEventListener('abort', disconnect);
    await endConnection(client);
  }
}

async function readAllCommits(session: StoreSession): Promise<PreparedStores['commits']> {
  const commits: [BackupStoreName, CommitState][] = [];
  for (const store of backupStoreNames) commits.push([store, await readCommits(session, store)]);
  return Object.fromEntries(commits) as Record<BackupStoreName, CommitState>;
}
