/** One connection to PostgreSQL: made within a time, bounded in what it may send, and aware of its own end. */
import { Socket } from 'node:net';
import type { Client } from 'pg';
import type { Clock } from '../../environment/clock.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import type { DatabaseLimits } from './limits.ts';
import type { TlsAttempt } from './tls-mode.ts';
import { addressOfDatabase, sizeWords } from './words.ts';

/** An open connection, until `isLost()`. */
export type Connection = {
  readonly client: Client;
  isLost(): boolean;
  /** From now on the server may send `limitBytes`; with more the connection ends with DATABASE_TOO_LARGE. */
  allow(limitBytes: number): void;
  /** Ends it at once; what is under way rejects with `reason`. */
  destroy(reason: VpError): void;
  /** Says goodbye. */
  close(): Promise<void>;
};

/** Connects in each way of `attempts` until one is taken. Rejects with what pg, the system or the server says. */
export async function connect(
  target: DatabaseTarget,
  attempts: readonly TlsAttempt[],
  clock: Clock,
  limits: DatabaseLimits,
): Promise<Connection> {
  for (const [index, ssl] of attempts.entries()) {
    try {
      return await connectOnce(target, ssl, clock, limits);
    } catch (error) {
      if (index === attempts.length - 1 || !wantsOtherWay(error)) throw error;
    }
  }
  throw new Error('no way to connect was given');
}

/** The server has no TLS; or, in words of pg_hba.conf, takes this user with TLS or without it only. */
function wantsOtherWay(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === noTlsMessage || ('code' in error && error.code === '28000');
}

/** What pg says where the server answers a TLS request with no. */
export const noTlsMessage = 'The server does not support SSL connections';

async function connectOnce(
  target: DatabaseTarget,
  ssl: TlsAttempt,
  clock: Clock,
  limits: DatabaseLimits,
): Promise<Connection> {
  const { Client: PgClient } = await import('pg');
  const { host, port, database, username: user, password } = target;
  const client = new PgClient({
    ...{ host, port, database, user, ssl },
    password: () => password.reveal(),
    stream: () => new Socket(),
    keepAlive: true,
    application_name: 'vp',
    sslnegotiation: 'postgres',
  });
  const connection = watched(client);
  const stopTimer = clock.after(limits.connectTimeoutMs, () => connection.destroy(tooSlow(target, limits)));
  try {
    await client.connect();
  } catch (error) {
    connection.destroy(tooSlow(target, limits));
    throw error;
  } finally {
    stopTimer();
  }
  connection.count();
  return connection;
}

function tooSlow(target: DatabaseTarget, { connectTimeoutMs }: DatabaseLimits): VpError {
  return vpError('DATABASE_CONNECT_TIMEOUT', {
    address: addressOfDatabase(target),
    seconds: connectTimeoutMs / 1000,
  });
}

function watched(client: Client): Connection & { count(): void } {
  let lost = false;
  let left = Number.POSITIVE_INFINITY;
  let limit = left;
  const lose = (): void => {
    lost = true;
  };
  client.on('error', lose);
  client.on('end', lose);
  const destroy = (reason: VpError): void => {
    lost = true;
    client.connection.stream.destroy(reason);
  };
  return {
    client,
    destroy,
    isLost: () => lost,
    allow(limitBytes) {
      limit = limitBytes;
      left = limitBytes;
    },
    /** With TLS the stream is another one once it is connected; its bytes are counted behind the decryption. */
    count() {
      client.connection.stream.on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0 && !lost) destroy(vpError('DATABASE_TOO_LARGE', { limit: sizeWords(limit) }));
      });
    },
    async close() {
      lost = true;
      await client.end();
    },
  };
}
