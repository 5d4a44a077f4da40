/** Opens connections to a store on PostgreSQL: the first host that can be written, with the TLS that `sslmode` demands. */
import type { ClientConfig } from 'pg';
import type { Clock } from '../../environment/clock.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { createResolvingSocket } from '../../outbound/connector.ts';
import { createNameResolver } from '../../outbound/names/name-resolver.ts';
import { isTlsModeRefused, toDatabaseError } from './connection-errors.ts';
import { formatHost, type PostgresHost, type PostgresSettings } from './connection-settings.ts';
import { endConnection } from './end-connection.ts';
import { createPipelinedClientClass, type PipelinedClient } from './pipelined-client.ts';
import { assertUsableServer, type ExaminedServer, type ServerRequirements } from './server-requirements.ts';
import { tryStaggered } from './staggered-attempts.ts';
import { listTlsAttempts, type PostgresTls } from './tls-attempts.ts';

/** An open connection. `client` never emits an unhandled error: its queries reject instead. */
export type PostgresConnection = {
  readonly client: PipelinedClient;
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

/**
 * A host that does not answer may be one whose network drops packets. The next one is tried beside it, because the election
 * gives up a step after two seconds.
 */
const hostDelayMs = 400;

/** Rejects with the STORE_DATABASE_* error of the host that came nearest to a usable one. */
export async function connectPostgres(
  settings: PostgresSettings,
  options: ConnectOptions,
): Promise<PostgresConnection> {
  const describe = (error: unknown, host: PostgresHost): VpError =>
    toDatabaseError(error, { ...settings, host, isConnected: false });
  try {
    return await tryStaggered(settings.hosts, {
      clock: options.clock,
      delayMs: hostDelayMs,
      attempt: (host, signal) =>
        connectHost(settings, host, options, signal).catch((error: unknown) => Promise.reject(describe(error, host))),
      discard: ({ client }) => endConnection(client),
    });
  } catch (error) {
    throw selectError(settings, error instanceof AggregateError ? error.errors : []);
  }
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

/** `signal` gives the host up. */
async function connectHost(
  settings: PostgresSettings,
  host: PostgresHost,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<PostgresConnection> {
  const { connectTimeoutMs } = settings;
  const limit = new AbortController();
  const stopTimer = options.clock.after(connectTimeoutMs, () => {
    const reason = `no session within ${connectTimeoutMs / 1000} s`;
    limit.abort(vpError('STORE_DATABASE_UNREACHABLE', { address: formatHost(host), reason }));
  });
  try {
    const client = await connectWithTls(settings, host, options, AbortSignal.any([signal, limit.signal]));
    const server = await assertUsableServer(client, host, settings, options.requirements).catch(async (error) => {
      await endConnection(client);
      limit.signal.throwIfAborted();
      throw error;
    });
    const scope = { ...settings, host, isConnected: true };
    return { client, host, server, describeError: (error) => toDatabaseError(error, scope) };
  } finally {
    stopTimer();
  }
}

async function connectWithTls(
  settings: PostgresSettings,
  host: PostgresHost,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<PipelinedClient> {
  const attempts = listTlsAttempts(settings.sslmode, settings.tls, host.host);
  for (const [index, ssl] of attempts.entries()) {
    try {
      return await connectOnce({ settings, host, ssl, options, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (index === attempts.length - 1 || !isTlsModeRefused(error)) throw error;
    }
  }
  throw new Error('no attempt was made');
}

type ConnectAttempt = {
  readonly settings: PostgresSettings;
  readonly host: PostgresHost;
  readonly ssl: PostgresTls;
  readonly options: ConnectOptions;
  /** Destroys the connection, also while its server is examined. */
  readonly signal: AbortSignal;
};

let clientClass: ReturnType<typeof createPipelinedClientClass> | undefined;

async function loadClientClass() {
  const { Client, Query } = await import('pg');
  clientClass ??= createPipelinedClientClass({ Client, Query });
  return clientClass;
}

async function connectOnce({ settings, host, ssl, options, signal }: ConnectAttempt): Promise<PipelinedClient> {
  const { user, database, applicationName, options: parameters } = settings;
  const PgClient = await loadClientClass();
  const password = await settings.findPassword(host);
  signal.throwIfAborted();
  const client = new PgClient({
    ...options.clientOptions,
    ...{ ...host, user, database, ssl, options: parameters ?? '' },
    password: () => password ?? throwPasswordMissing(settings, host),
    ...(host.host.startsWith('/') ? {} : { stream: () => createResolvingSocket(resolver) }),
    application_name: applicationName,
    client_encoding: 'UTF8',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    sslnegotiation: 'postgres',
  });
  client.on('error', () => undefined);
  signal.addEventListener('abort', () => client.connection.stream.destroy(signal.reason));
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  }
}

function throwPasswordMissing({ user, database }: PostgresSettings, { host, port }: PostgresHost): never {
  const address = formatHost({ host, port });
  throw vpError('STORE_DATABASE_PASSWORD_MISSING', { address, user, host, port, database });
}
