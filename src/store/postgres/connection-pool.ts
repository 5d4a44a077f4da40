/**
 * Connections that are used again. pg-pool was rejected: it opens connections by itself, to one host, and cannot ask whether that
 * host may be written (connect.ts).
 */
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { ConnectionCounts } from '../store-state.ts';
import type { PostgresConnection } from './connect.ts';
import { endConnection } from './end-connection.ts';
import { Turns } from './turns.ts';

type Waiter = { resolve(connection: PostgresConnection | undefined): void; stopTimer(): void };

export type ConnectionPoolOptions = {
  readonly open: () => Promise<PostgresConnection>;
  readonly maxConnections: number;
  readonly clock: Pick<Clock, 'after'>;
};

/** How long a caller waits for a connection, and for how long an idle one stays open. */
const maxWaitMs = 5_000;
const maxIdleMs = 60_000;
/** What reads leave free, however slow they are: one connection for the writes of each store. */
const writeConnections = 3;

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #maxReads: number;
  readonly #reads: Turns;
  readonly #idle: { readonly connection: PostgresConnection; readonly stopTimer: () => void }[] = [];
  readonly #waiters: Waiter[] = [];
  #openCount = 0;
  #isClosed = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#maxReads = Math.max(1, options.maxConnections - writeConnections);
    this.#reads = new Turns(this.#maxReads);
  }

  /** Connections that may be stale at once. */
  get maxConnections(): number {
    return this.#options.maxConnections;
  }

  get state(): ConnectionCounts {
    return { used: this.#openCount - this.#idle.length, open: this.#openCount, waiting: this.#waiters.length };
  }

  /**
   * Runs `use` on a connection of its own. When `use` throws, the connection is closed unless `isUsable` says otherwise.
   * Rejects with what `use` throws, STORE_DATABASE_FULL, and errors of opening a connection.
   */
  async with<T>(
    use: (connection: PostgresConnection) => Promise<T>,
    isUsable: (error: unknown) => boolean,
  ): Promise<T> {
    const connection = await this.#acquire();
    try {
      const value = await use(connection);
      this.#release(connection);
      return value;
    } catch (error) {
      if (isUsable(error)) this.#release(connection);
      else this.#discard(connection);
      throw error;
    }
  }

  /** As `with`, for reads that may take long: they leave connections to the writes. */
  async withRead<T>(
    use: (connection: PostgresConnection) => Promise<T>,
    isUsable: (error: unknown) => boolean,
  ): Promise<T> {
    if (!(await this.#reads.begin(this.#options.clock, maxWaitMs))) {
      const reason = `all ${this.#maxReads} connections for reads are in use`;
      throw vpError('STORE_DATABASE_UNAVAILABLE', { reason });
    }
    try {
      return await this.with(use, isUsable);
    } finally {
      this.#reads.end();
    }
  }

  /** Closes idle connections; the others when they are returned. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(undefined);
    const idle = this.#idle.splice(0);
    for (const { stopTimer } of idle) stopTimer();
    await Promise.all(idle.map(({ connection }) => this.#end(connection)));
  }

  async #acquire(): Promise<PostgresConnection> {
    if (this.#isClosed) throw vpError('STORE_CLOSED', {});
    // The newest: it is the least likely to have been closed by the server or a network on the way.
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      idle.stopTimer();
      if (!idle.connection.client.connection.stream.destroyed) return idle.connection;
      // It ended while it was idle: of many that did, none must be tried.
      this.#discard(idle.connection);
    }
    if (this.#openCount < this.#options.maxConnections) return await this.#open();
    const connection = await this.#wait();
    return connection ?? (await this.#acquireAfterWait());
  }

  /** The wait ended without a connection: one was discarded, the pool closed, or the time is over. */
  async #acquireAfterWait(): Promise<PostgresConnection> {
    if (this.#isClosed) throw vpError('STORE_CLOSED', {});
    if (this.#openCount < this.#options.maxConnections) return await this.#open();
    throw vpError('STORE_DATABASE_UNAVAILABLE', { reason: `all ${this.#openCount} connections are in use` });
  }

  async #open(): Promise<PostgresConnection> {
    this.#openCount += 1;
    try {
      return await this.#options.open();
    } catch (error) {
      this.#openCount -= 1;
      this.#waiters.shift()?.resolve(undefined);
      throw error;
    }
  }

  #wait(): Promise<PostgresConnection | undefined> {
    const { promise, resolve } = Promise.withResolvers<PostgresConnection | undefined>();
    const stopTimer = this.#options.clock.after(maxWaitMs, () => {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      resolve(undefined);
    });
    const waiter: Waiter = {
      stopTimer,
      resolve(connection) {
        stopTimer();
        resolve(connection);
      },
    };
    this.#waiters.push(waiter);
    return promise;
  }

  #release(connection: PostgresConnection): void {
    const waiter = this.#waiters.shift();
    if (waiter) {
      waiter.resolve(connection);
      return;
    }
    if (this.#isClosed) {
      void this.#end(connection);
      return;
    }
    const stopTimer = this.#options.clock.after(maxIdleMs, () => {
      const index = this.#idle.findIndex((idle) => idle.connection === connection);
      if (index >= 0) this.#idle.splice(index, 1);
      void this.#end(connection);
    });
    this.#idle.push({ connection, stopTimer });
  }

  #discard(connection: PostgresConnection): void {
    this.#openCount -= 1;
    connection.client.connection.stream.destroy();
    this.#waiters.shift()?.resolve(undefined);
  }

  async #end({ client }: PostgresConnection): Promise<void> {
    this.#openCount -= 1;
    await endConnection(client);
  }
}
