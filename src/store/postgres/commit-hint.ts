/**
 * Hints that another process has committed: it sends a notification behind its commits, and who serves the store listens on a
 * connection of its own. A hint only says "look now": polling (foreign-commits.ts) goes on in any case, so that a lost hint
 * costs a quarter of a second and nothing else.
 *
 * Whether hints arrive is tried and not assumed, at the start and every few seconds: a notification is sent through the
 * connections that others use as well, and must come back on the listening one. On a connection through a pooler nobody listens:
 * it may belong to somebody else a moment later.
 */
import type { Clock } from '../../environment/clock.ts';
import { type BackupStoreName, backupStoreNames } from '../store-files.ts';
import type { PostgresConnection } from './connect.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { endConnection } from './end-connection.ts';
import { isUsableAfter } from './errors.ts';

const channel = 'vp_commits';

export type CommitHintTimings = {
  /** From one probe to the next. */
  readonly probeMs: number;
  /** How long a probe may take to come back. */
  readonly answerMs: number;
  /** After a connection that failed. */
  readonly retryMs: number;
};

/** How long closing waits for a connection that is being opened. */
const maxCloseMs = 2_000;

const defaultTimings: CommitHintTimings = { probeMs: 5_000, answerMs: 2_000, retryMs: 5_000 };

export type CommitHintOptions = {
  /** Opens the connection that listens. */
  readonly connect: () => Promise<Pick<PostgresConnection, 'client' | 'server'>>;
  readonly pool: Pick<ConnectionPool, 'with'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly onHint: (store: BackupStoreName) => void;
  readonly timings?: CommitHintTimings;
};

export type CommitHint = {
  /** The newest probe came back. */
  readonly isLive: boolean;
  close(): Promise<void>;
};

async function notify({ pool }: Pick<CommitHintOptions, 'pool'>, payload: string): Promise<void> {
  // It need not survive a crash, so that it waits for no disk.
  const text = `SET LOCAL synchronous_commit TO off; SELECT pg_notify('${channel}', '${payload}')`;
  await pool.with(({ client }) => client.query(text), isUsableAfter);
}

/** Listens until it is closed; opens its connection again when that is lost or a probe does not come back. */
export function listenForCommits(options: CommitHintOptions): CommitHint {
  const { clock, onHint } = options;
  const timings = options.timings ?? defaultTimings;
  let isLive = false;
  let isClosed = false;
  let probes = 0;
  let stopTimer = (): void => undefined;
  let client: PostgresConnection['client'] | undefined;
  let opening: Promise<void> | undefined;

  function schedule(delayMs: number, action: () => void): void {
    stopTimer();
    if (!isClosed) stopTimer = clock.after(delayMs, action);
  }

  function drop(lost: PostgresConnection['client'] | undefined): void {
    if (client !== lost || isClosed) return;
    isLive = false;
    client = undefined;
    if (lost) void endConnection(lost);
    schedule(timings.retryMs, open);
  }

  function probe(used: PostgresConnection['client'], backend: number): void {
    probes += 1;
    schedule(timings.answerMs, () => drop(used));
    // While the database is away, the probe does not come back.
    notify(options, `probe ${backend} ${probes}`).catch(() => undefined);
  }

  function receive(used: PostgresConnection['client'], backend: number, payload: string): void {
    const store = backupStoreNames.find((name) => name === payload);
    if (store) onHint(store);
    if (client !== used || payload !== `probe ${backend} ${probes}`) return;
    isLive = true;
    schedule(timings.probeMs, () => probe(used, backend));
  }

  async function listen(): Promise<void> {
    const { client: opened, server } = await options.connect();
    if (server.isPooled || isClosed) return await endConnection(opened);
    client = opened;
    opened.on('error', () => drop(opened));
    opened.on('end', () => drop(opened));
    const { rows } = await opened.query<{ pid: number }>(`SELECT pg_backend_pid() AS pid`);
    const backend = Number(rows[0]?.pid);
    opened.on('notification', ({ payload = '' }) => receive(opened, backend, payload));
    await opened.query(`LISTEN ${channel}`);
    if (!isClosed) probe(opened, backend);
    // What was committed before is seen by looking once.
    for (const store of backupStoreNames) onHint(store);
  }

  function open(): void {
    opening = listen().catch(() => drop(client));
  }

  open();
  return {
    get isLive() {
      return isLive;
    },
    async close() {
      isClosed = true;
      isLive = false;
      stopTimer();
      if (client) await endConnection(client);
      // One that is being opened has its own time limits, and is ended then.
      await Promise.race([opening, new Promise<void>((resolve) => clock.after(maxCloseMs, resolve))]);
    },
  };
}

export type CommitAnnouncer = {
  announce(): void;
  /** Resolves when what was announced has been sent. */
  close(): Promise<void>;
};

/** Announces commits of `store`. Those that come while a notification is on its way share the next one. */
export function announceCommits(pool: Pick<ConnectionPool, 'with'>, store: BackupStoreName): CommitAnnouncer {
  let sending: Promise<void> | undefined;
  let hasMore = false;
  async function send(): Promise<void> {
    do {
      hasMore = false;
      // Polling notices what is not announced.
      await notify({ pool }, store).catch(() => undefined);
    } while (hasMore);
    sending = undefined;
  }
  return {
    announce() {
      hasMore = true;
      sending ??= send();
    },
    close: async () => await sending,
  };
}
