/** Opens connections to a store on PostgreSQL: the first host that can be written, with the TLS that `sslmode` demands. */
import type { Client, ClientConfig } from 'pg';
import type { Clock } from '../../environment/clock.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { createResolvingSocket } from '../../outbound/connector.ts';
import { createNameResolver } from '../../outbound/names/name-resolver.ts';
import { isTlsModeRefused, toDatabaseError } from './connection-errors.ts';
import { formatHost, type PostgresHost, type PostgresSettings } from './connection-settings.ts';
import { endConnection } from './end-connection.ts';
import { assertUsableServer, type ExaminedServer, type ServerRequirements } from './server-requirements.ts';
import { listTlsAttempts, type PostgresTls } from './tls-attempts.ts';

/** An open connection. `client` never emits an unhandled error: its queries reject instead. */
export type PostgresConnection = {
  readonly client: Client;
  readonly host: PostgresHost;
  readonly server: ExaminedServer;
  /** Describes an error of a query on this connection, for the operator. */
  describeError(error: unknown): VpError;
};

export type ConnectOptions = {
  readonly clock: Pick<Clock, 'after'>;
  readonly requirements?: ServerRequirements;
  /** How the connection is used: types, pipelining, time limits. */
  readonly clientOptions?: ClientConfig;
};

const resolver = createNameResolver();
/** A peer that has vanished is noticed by the system's probes; the driver has time limits of its own. */
const keepAliveDelayMs = 10_000;

/** Rejects with the STORE_DATABASE_* error of the host that came nearest to a usable one. */
export async function connectPostgres(
  settings: PostgresSettings,
  options: ConnectOptions,
): Promise<PostgresConnection> {
  const errors: VpError[] = [];
  for (const host of settings.hosts) {
    try {
      return await connectHost(settings, host, options);
    } catch (error) {
      errors.push(toDatabaseError(error, { ...settings, host, isConnected: false }));
    }
  }
  throw selectError(settings, errors);
}

/** One that says more than that a host is down or a standby; otherwise all of these. */
function selectError({ address, database }: PostgresSettings, errors: readonly VpError[]): VpError {
  const [first] = errors;
  const isUnreachable = ({ code }: VpError): boolean => code === 'STORE_DATABASE_UNREACHABLE';
  const isStandby = ({ code }: VpError): boolean => code === 'STORE_DATABASE_READ_ONLY';
  const decisive = errors.find((error) => !isUnreachable(error) && !isStandby(error));
  const single = decisive ?? (errors.length === 1 ? first : undefined);
  if (single !== undefined) return single;
  const reason = errors.map(({ values }) => `${values.address}: ${values.reason}`).join('; ');
  const context = { cause: first };
  return errors.some(isStandby)
    ? vpError('STORE_DATABASE_READ_ONLY', { address, database, reason }, context)
    : vpError('STORE_DATABASE_UNREACHABLE', { address, reason }, context);
}

async function connectHost(
  settings: PostgresSettings,
  host: PostgresHost,
  options: ConnectOptions,
): Promise<PostgresConnection> {
  const client = await connectWithTls(settings, host, options);
  try {
    const server = await assertUsableServer(client, host, settings, options.requirements);
    const scope = { ...settings, host, isConnected: true };
    return { client, host, server, describeError: (error) => toDatabaseError(error, scope) };
  } catch (error) {
    await endConnection(client);
    throw error;
  }
}

async function connectWithTls(
  settings: PostgresSettings,
  host: PostgresHost,
  options: ConnectOptions,
): Promise<Client> {
  const attempts = listTlsAttempts(settings.sslmode, settings.tls, host.host);
  for (const [index, ssl] of attempts.entries()) {
    try {
      return await connectOnce(settings, host, ssl, options);
    } catch (error) {
      if (index === attempts.length - 1 || !isTlsModeRefused(error)) throw error;
    }
  }
  throw new Error('no attempt was made');
}

async function connectOnce(
  settings: PostgresSettings,
  host: PostgresHost,
  ssl: PostgresTls,
  { clock, clientOptions }: ConnectOptions,
): Promise<Client> {
  const { user, database, applicationName, options, connectTimeoutMs } = settings;
  const { Client: PgClient } = await import('pg');
  const password = await settings.findPassword(host);
  const client = new PgClient({
    ...clientOptions,
    ...{ ...host, user, database, ssl, options: options ?? '' },
    password: () => password ?? throwPasswordMissing(settings, host),
    ...(host.host.startsWith('/') ? {} : { stream: () => createResolvingSocket(resolver) }),
    application_name: applicationName,
    client_encoding: 'UTF8',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    sslnegotiation: 'postgres',
  });
  client.on('error', () => undefined);
  const stopTimer = clock.after(connectTimeoutMs, () => {
    const reason = `no session within ${connectTimeoutMs / 1000} s`;
    client.connection.stream.destroy(vpError('STORE_DATABASE_UNREACHABLE', { address: formatHost(host), reason }));
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  } finally {
    stopTimer();
  }
}

function throwPasswordMissing({ user, database }: PostgresSettings, { host, port }: PostgresHost): never {
  const address = formatHost({ host, port });
  throw vpError('STORE_DATABASE_PASSWORD_MISSING', { address, user, host, port, database });
}
