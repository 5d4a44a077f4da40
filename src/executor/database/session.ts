/** The one connection of an executor to its database: opened at the first use, kept, and opened again when it was lost. */
import type { Clock } from '../../environment/clock.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import { type Connection, connect } from './connection.ts';
import type { DatabaseLimits } from './limits.ts';
import { tlsAttempts } from './tls-mode.ts';
import { begin, rollBack } from './transaction.ts';

/** What a session needs. */
export type SessionOptions = {
  readonly target: DatabaseTarget;
  readonly clock: Clock;
  readonly limits: DatabaseLimits;
  readonly extraRoots: readonly string[];
};

type Begun = { readonly connection: Connection; readonly stop: () => void };

/** Work in transactions that cannot write, one after the other. */
export type Session = {
  /** Rejects with what `work`, pg, the system or the server says. */
  inTransaction<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
};

/** A session without a connection yet. */
export function openSession({ target, clock, limits, extraRoots }: SessionOptions): Session {
  let kept: Connection | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function opened(): Promise<Connection> {
    const attempts = tlsAttempts(target, extraRoots);
    kept = await connect(target, attempts, clock, limits);
    return kept;
  }

  async function begun(connection: Connection, signal: AbortSignal | undefined): Promise<Begun> {
    if (signal?.aborted) throw cancelled();
    const stop = bounded(connection, clock, limits, signal);
    try {
      await begin(connection, limits);
      return { connection, stop };
    } catch (error) {
      stop();
      throw error;
    }
  }

  /** A kept connection may have been lost unnoticed; the first statement shows it, and then another one is opened. */
  async function ready(signal: AbortSignal | undefined): Promise<Begun> {
    const old = kept;
    if (old?.isLost() === false) {
      try {
        return await begun(old, signal);
      } catch (error) {
        if (!old.isLost()) throw error;
      }
    }
    return await begun(await opened(), signal);
  }

  async function run<T>(work: (connection: Connection) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { connection, stop } = await ready(signal);
    try {
      return await work(connection);
    } finally {
      if (!connection.isLost()) await rollBack(connection).catch(() => connection.destroy(cancelled()));
      stop();
    }
  }

  return {
    async inTransaction(work, signal) {
      if (waiting > limits.waiting) throw vpError('DATABASE_BUSY', { count: waiting - 1 });
      waiting += 1;
      const mine = last.then(() => run(work, signal));
      last = mine.catch(() => undefined);
      const leave = (): void => {
        waiting -= 1;
      };
      mine.then(leave, leave);
      return await (signal === undefined ? mine : unlessAborted(mine, signal));
    },
    async close() {
      await last;
      if (kept?.isLost() === false) await kept.close();
    },
  };
}

function cancelled(): VpError {
  return vpError('DATABASE_CANCELLED', {});
}

async function unlessAborted<T>(mine: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(cancelled());
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([mine, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Ends the connection when the server does not keep to its time, and when the caller gives up. */
function bounded(connection: Connection, clock: Clock, limits: DatabaseLimits, signal?: AbortSignal): () => void {
  connection.allow(limits.answerBytes);
  const limitMs = limits.statementTimeoutMs + limits.graceMs;
  const stopTimer = clock.after(limitMs, () =>
    connection.destroy(vpError('DATABASE_TIMEOUT', { seconds: limitMs / 1000 })),
  );
  const giveUp = (): void => connection.destroy(cancelled());
  signal?.addEventListener('abort', giveUp, { once: true });
  return () => {
    stopTimer();
    signal?.removeEventListener('abort', giveUp);
  };
}
