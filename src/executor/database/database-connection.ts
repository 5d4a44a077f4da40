/** One connection to PostgreSQL with a connect timeout, a limit on received bytes, and detection of its loss. */
import type { Client } from 'pg';
import type { Clock } from '../../environment/clock.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { createResolvingSocket } from '../../outbound/connector.ts';
import { createNameResolver } from '../../outbound/names/name-resolver.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import type { DatabaseLimits } from './database-limits.ts';
import { formatByteLimit, formatDatabaseAddress } from './format.ts';
import type { TlsAttempt } from './tls-mode.ts';

/** An open connection, until `isLost()`. */
export type DatabaseConnection = {
  readonly client: Client;
  isLost(): boolean;
  /** Sets how many bytes the server may send from now on; beyond that the connection ends with DATABASE_TOO_LARGE. */
  setByteLimit(byteLimit: number): void;
  /** Closes the connection at once; operations in progress reject with `reason`. */
  destroy(reason: VpError): void;
  /** Closes the connection in order. */
  close(): Promise<void>;
};

const resolver = createNameResolver();

/** Tries each of `attempts` until one succeeds. Rejects with the last error of pg, the system or the server. */
export async function connectDatabase(
  target: DatabaseTarget,
  attempts: readonly TlsAttempt[],
  clock: Clock,
  limits: DatabaseLimits,
): Promise<DatabaseConnection> {
  for (const [index, ssl] of attempts.entries()) {
    try {
      return await connectOnce(target, ssl, clock, limits);
    } catch (error) {
      if (index === attempts.length - 1 || !isTlsModeRefused(error)) throw error;
    }
  }
  throw new Error('no connection attempt was specified');
}

/** True when the server has no TLS, or when pg_hba.conf accepts this user only with TLS or only without it. */
function isTlsModeRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === tlsRefusedMessage || ('code' in error && error.code === '28000');
}

/** The error message of pg when the server refuses TLS. */
export const tlsRefusedMessage = 'The server does not support SSL connections';

async function connectOnce(
  target: DatabaseTarget,
  ssl: TlsAttempt,
  clock: Clock,
  limits: DatabaseLimits,
): Promise<DatabaseConnection> {
  const { Client: PgClient } = await import('pg');
  const { host, port, database, username: user, databasePassword: password } = target;
  const client = new PgClient({
    ...{ host, port, database, user, ssl },
    password: () => password.reveal(),
    stream: () => createResolvingSocket(resolver),
    keepAlive: true,
    application_name: 'vp',
    sslnegotiation: 'postgres',
  });
  const connection = monitorConnection(client);
  const stopTimer = clock.after(limits.connectTimeoutMs, () => connection.destroy(createTimeoutError(target, limits)));
  try {
    await client.connect();
  } catch (error) {
    connection.destroy(createTimeoutError(target, limits));
    throw error;
  } finally {
    stopTimer();
  }
  connection.countBytes();
  return connection;
}

function createTimeoutError(target: DatabaseTarget, { connectTimeoutMs }: DatabaseLimits): VpError {
  return vpError('DATABASE_CONNECT_TIMEOUT', {
    address: formatDatabaseAddress(target),
    seconds: connectTimeoutMs / 1000,
  });
}

function monitorConnection(client: Client): DatabaseConnection & { countBytes(): void } {
  let isLost = false;
  let remainingBytes = Number.POSITIVE_INFINITY;
  let maxBytes = remainingBytes;
  const markLost = (): void => {
    isLost = true;
  };
  client.on('error', markLost);
  client.on('end', markLost);
  const destroy = (reason: VpError): void => {
    isLost = true;
    client.connection.stream.destroy(reason);
  };
  return {
    client,
    destroy,
    isLost: () => isLost,
    setByteLimit(byteLimit) {
      maxBytes = byteLimit;
      remainingBytes = byteLimit;
    },
    /** With TLS the socket is replaced after connecting; bytes are counted after decryption. */
    countBytes() {
      client.connection.stream.on('data', (chunk: Buffer) => {
        remainingBytes -= chunk.length;
        if (remainingBytes < 0 && !isLost) destroy(vpError('DATABASE_TOO_LARGE', { limit: formatByteLimit(maxBytes) }));
      });
    },
    async close() {
      isLost = true;
      await client.end();
    },
  };
}
