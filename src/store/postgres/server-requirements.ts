/** What a server must be for a store, examined once on each connection: a proxy may lead to another server than before. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ClientBase } from 'pg';
import { vpError } from '../../errors/vp-error.ts';
import { formatHost, type PostgresHost, type PostgresSettings } from './connection-settings.ts';

/** The oldest version with maintenance by its project in November 2026, and the oldest that the tests run on. */
const minServerVersion = 15;

const ServerRow = Type.Object({
  version_number: Type.Number(),
  version: Type.String(),
  encoding: Type.String(),
  is_standby: Type.Boolean(),
  read_only: Type.String(),
  backend: Type.Number(),
  incarnation: Type.String(),
});

/**
 * When the server was started, and when it began to count its statistics, which a crash of a single process ends as well. Every
 * role may read both. An administrator can reset the statistics: another value does not prove another server.
 */
export const incarnationText = `(SELECT concat(extract(epoch FROM pg_postmaster_start_time()), '/', extract(epoch FROM stats_reset))
  FROM pg_stat_bgwriter)`;

/**
 * `isPooled`: a pooler such as PgBouncer stands between. It may give each transaction another connection, so nothing may be left on one:
 * no prepared statement, no LISTEN, no session lock.
 */
export type DatabaseServerInfo = { readonly version: string; readonly isPooled: boolean };

/** With the same `incarnation`, it is the same server without a crash in between. Behind a pooler, it may be out of date. */
export type ExaminedServer = DatabaseServerInfo & { readonly incarnation: string };

export type ServerRequirements = { readonly minVersion: number };

/**
 * Throws STORE_DATABASE_VERSION, STORE_DATABASE_ENCODING, STORE_DATABASE_READ_ONLY, and errors of pg. Collations are not examined:
 * columns of a store have their own.
 */
export async function assertUsableServer(
  client: ClientBase,
  host: PostgresHost,
  { database }: Pick<PostgresSettings, 'database'>,
  { minVersion }: ServerRequirements = { minVersion: minServerVersion },
): Promise<ExaminedServer> {
  const { rows } = await client.query<Record<string, unknown>>(
    `SELECT current_setting('server_version_num')::int4 AS version_number, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS is_standby,
      current_setting('default_transaction_read_only') AS read_only, pg_backend_pid() AS backend,
      ${incarnationText} AS incarnation`,
  );
  const server = Value.Parse(ServerRow, rows[0]);
  const address = formatHost(host);
  const { version, encoding, incarnation } = server;
  if (Math.floor(server.version_number / 10_000) < minVersion)
    throw vpError('STORE_DATABASE_VERSION', { address, version, minimum: minVersion });
  if (encoding !== 'UTF8') throw vpError('STORE_DATABASE_ENCODING', { address, database, encoding });
  const reason = findReadOnlyReason(server.is_standby, server.read_only);
  if (reason !== undefined) throw vpError('STORE_DATABASE_READ_ONLY', { address, database, reason });
  return { version, incarnation, isPooled: getAnnouncedProcess(client) !== server.backend };
}

/** What the peer announced as its process at the beginning of the session: a pooler announces a number of its own. */
function getAnnouncedProcess(client: ClientBase): unknown {
  return 'processID' in client ? client.processID : undefined;
}

function findReadOnlyReason(isStandby: boolean, readOnly: string): string | undefined {
  if (isStandby) return 'the server is a standby';
  return readOnly === 'on' ? 'default_transaction_read_only is on for this user or database' : undefined;
}
