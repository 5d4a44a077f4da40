/** Looks at a database before it is a store, or because something is wrong with it. Changes nothing. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { type ConnectOptions, connectPostgres, type PostgresConnection } from './connect.ts';
import { formatHost, type PostgresSettings } from './connection-settings.ts';
import { type ElectionClient, hasElection, readElection } from './election.ts';
import { listLiveReplicas } from './heartbeats.ts';

/** `problems` do not prevent a connection; errors and warnings as in the error table. */
export type DatabaseInspection = { readonly facts: readonly string[]; readonly problems: readonly VpError[] };

/** As in the election: its timings. */
const maxSilentMs = 5_000;

const ServerRow = Type.Object({ can_create: Type.Boolean(), has_store: Type.Boolean(), fsync: Type.String() });

/** Rejects with STORE_DATABASE_* when it cannot be connected. `direct` is for notifications; undefined without one. */
export async function inspectDatabase(
  { main, direct }: { readonly main: PostgresSettings; readonly direct: PostgresSettings | undefined },
  options: ConnectOptions,
): Promise<DatabaseInspection> {
  const connection = await connectPostgres(main, options);
  try {
    const { rows } = await connection.client.query<Record<string, unknown>>(
      `SELECT has_database_privilege(current_database(), 'CREATE') AS can_create, to_regnamespace('vp') IS NOT NULL AS has_store,
        current_setting('fsync') AS fsync`,
    );
    const { can_create: canCreate, has_store: hasStore, fsync } = Value.Parse(ServerRow, rows[0]);
    return {
      facts: [
        `${main.database} at ${formatHost(connection.host)}, PostgreSQL ${connection.server.version}`,
        `${isEncrypted(connection) ? 'with' : 'without'} TLS, ${connection.server.isPooled ? 'through a pooler' : 'direct'}`,
        hasStore ? 'it holds a store' : 'it holds no store yet',
        ...(await describeReplicas(connection.client)),
      ],
      problems: [
        ...findRightsProblem(main, canCreate || hasStore),
        ...findEncryptionProblem(connection),
        ...findDurabilityProblem(connection, fsync),
        ...(await findPoolerProblem(connection, direct, options)),
      ],
    };
  } finally {
    await connection.client.end();
  }
}

/** Nothing where no replica has started yet. */
async function describeReplicas(client: ElectionClient): Promise<string[]> {
  if (!(await hasElection(client))) return [];
  const [{ activeId, epoch }, replicas] = [await readElection(client), await listLiveReplicas(client, maxSilentMs)];
  const versions = [...new Set(replicas.map(({ version }) => version))].sort().join(', ');
  if (replicas.length === 0) return ['no replica lives'];
  const count = replicas.length === 1 ? '1 replica lives' : `${replicas.length} replicas live`;
  const active = activeId === undefined ? 'none is active' : `${activeId} is active in term ${epoch}`;
  return [`${count} (version ${versions}), ${active}`];
}

function findRightsProblem({ user, database }: PostgresSettings, isSufficient: boolean): VpError[] {
  const reason = 'it may not create schemas in the database';
  return isSufficient ? [] : [vpError('STORE_DATABASE_RIGHTS', { user, database, reason })];
}

function isEncrypted({ client }: PostgresConnection): boolean {
  const { stream } = client.connection;
  return 'encrypted' in stream && stream.encrypted === true;
}

/** By the address that was reached: names lead elsewhere one day. A Unix socket has none. */
function findEncryptionProblem(connection: PostgresConnection): VpError[] {
  const { stream } = connection.client.connection;
  const address = 'remoteAddress' in stream ? String(stream.remoteAddress ?? '') : '';
  const isLocal = address === '' || /^(127\.|::1$|::ffff:127\.)/.test(address);
  if (isLocal || isEncrypted(connection)) return [];
  return [vpError('STORE_DATABASE_UNENCRYPTED', { address: formatHost(connection.host) })];
}

/** A role's `synchronous_commit` is raised by the stores themselves; this one is the server's alone. */
function findDurabilityProblem({ host }: PostgresConnection, fsync: string): VpError[] {
  return fsync === 'on' ? [] : [vpError('STORE_DATABASE_UNSAFE', { address: formatHost(host), parameter: 'fsync' })];
}

/** Only one of several connections to a pooler has a session of its own. */
async function findPoolerProblem(
  main: PostgresConnection,
  direct: PostgresSettings | undefined,
  options: ConnectOptions,
): Promise<VpError[]> {
  if (direct === undefined) {
    const address = formatHost(main.host);
    return main.server.isPooled ? [vpError('STORE_DATABASE_POOLED', { address, flag: 'no --database-direct' })] : [];
  }
  const { client, host, server } = await connectPostgres(direct, options);
  await client.end();
  const address = formatHost(host);
  return server.isPooled ? [vpError('STORE_DATABASE_POOLED', { address, flag: '--database-direct' })] : [];
}
