/** The executor's single connection to its database: opened at first use, kept open, and reopened when lost. */
import type { Clock } from '../../environment/clock.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import { connectDatabase, type DatabaseConnection } from './database-connection.ts';
import type { DatabaseLimits } from './database-limits.ts';
import { tlsAttempts } from './tls-mode.ts';

export type DatabaseSessionOptions = {
  readonly target: DatabaseTarget;
  readonly clock: Clock;
  readonly limits: DatabaseLimits;
  readonly extraRoots: readonly string[];
};

type OpenTransaction = { readonly connection: DatabaseConnection; readonly stop: () => void };

/** Runs work in read-only transactions, one after another. */
export type DatabaseSession = {
  /** Rejects with the error of `work`, pg, the system or the server. */
  inTransaction<T>(work: (connection: DatabaseConnection) => Promise<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
};

/** Creates a session that is not connected yet. */
export function openDatabaseSession({ target, clock, limits, extraRoots }: DatabaseSessionOptions): DatabaseSession {
  let current: DatabaseConnection | undefined;
  let previousWork: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function reconnect(): Promise<DatabaseConnection> {
    const attempts = tlsAttempts(target, extraRoots);
    current = await connectDatabase(target, attempts, clock, limits);
    return current;
  }

  async function startTransaction(
    connection: DatabaseConnection,
    signal: AbortSignal | undefined,
  ): Promise<OpenTransaction> {
    if (signal?.aborted) throw createCancelledError();
    const stop = limitConnection(connection, clock, limits, signal);
    try {
      await beginReadOnly(connection, limits);
      return { connection, stop };
    } catch (error) {
      stop();
      throw error;
    }
  }

  /**
   * An open connection may have been lost unnoticed; if its first statement fails for that reason, a new one is opened.
   */
  async function acquireTransaction(signal: AbortSignal | undefined): Promise<OpenTransaction> {
    const existing = current;
    if (existing?.isLost() === false) {
      try {
        return await startTransaction(existing, signal);
      } catch (error) {
        if (!existing.isLost()) throw error;
      }
    }
    return await startTransaction(await reconnect(), signal);
  }

  async function run<T>(
    work: (connection: DatabaseConnection) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { connection, stop } = await acquireTransaction(signal);
    try {
      return await work(connection);
    } finally {
      if (!connection.isLost()) await rollBack(connection).catch(() => connection.destroy(createCancelledError()));
      stop();
    }
  }

  return {
    async inTransaction(work, signal) {
      if (waiting > limits.maxWaiting) throw vpError('DATABASE_BUSY', { count: waiting - 1 });
      waiting += 1;
      const result = previousWork.then(() => run(work, signal));
      previousWork = result.catch(() => undefined);
      const release = (): void => {
        waiting -= 1;
      };
      result.then(release, release);
      return await (signal === undefined ? result : raceAbort(result, signal));
    },
    async close() {
      await previousWork;
      if (current?.isLost() === false) await current.close();
    },
  };
}

function createCancelledError(): VpError {
  return vpError('DATABASE_CANCELLED', {});
}

async function raceAbort<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const rejectCancelled = (): void => reject(createCancelledError());
  signal.addEventListener('abort', rejectCancelled, { once: true });
  if (signal.aborted) rejectCancelled();
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener('abort', rejectCancelled);
  }
}

/** Closes the connection when the server exceeds its time limit, and when the caller cancels. */
function limitConnection(
  connection: DatabaseConnection,
  clock: Clock,
  limits: DatabaseLimits,
  signal?: AbortSignal,
): () => void {
  connection.setByteLimit(limits.responseBytes);
  const timeoutMs = limits.statementTimeoutMs + limits.graceMs;
  const stopTimer = clock.after(timeoutMs, () =>
    connection.destroy(vpError('DATABASE_TIMEOUT', { seconds: timeoutMs / 1000 })),
  );
  const cancelConnection = (): void => connection.destroy(createCancelledError());
  signal?.addEventListener('abort', cancelConnection, { once: true });
  return () => {
    stopTimer();
    signal?.removeEventListener('abort', cancelConnection);
  };
}

/**
 * Begins a read-only transaction with time limits enforced by the server. The settings end with the transaction, so
 * that a connection pooler in between is not affected. Text formats are fixed: ISO dates, UTC, bytea in hex.
 */
async function beginReadOnly({ client }: DatabaseConnection, limits: DatabaseLimits): Promise<void> {
  const settings: Readonly<Record<string, string | number>> = {
    statement_timeout: limits.statementTimeoutMs,
    lock_timeout: limits.lockTimeoutMs,
    idle_in_transaction_session_timeout: limits.statementTimeoutMs * 2,
    search_path: 'public',
    standard_conforming_strings: 'on',
    client_encoding: "'UTF8'",
    datestyle: "'ISO, YMD'",
    intervalstyle: "'postgres'",
    timezone: "'UTC'",
    bytea_output: "'hex'",
    extra_float_digits: 1,
  };
  const assignments = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  await client.query(['BEGIN READ ONLY', ...assignments].join('; '));
}

/** Ends the transaction; nothing was written. */
async function rollBack({ client }: DatabaseConnection): Promise<void> {
  await client.query('ROLLBACK');
}
