/** The document-signing application, started in this process. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import { getRequestListener } from '@hono/node-server';
import { createApp } from './app.ts';
import { type EventLog, type ExampleClock, eventLog } from './http/event-log.ts';
import type { Database } from './storage/database.ts';
import { type DatabaseLocation, openDatabase } from './storage/open-database.ts';
import { prepareDatabase } from './storage/prepare.ts';

/** What {@link startExample} takes. Port 0 takes any free port; no database URL and no file keep the rows in memory. */
export type ExampleOptions = DatabaseLocation & {
  readonly port: number;
  readonly host: string;
  /** What `Authorization: Bearer` must carry; not empty. */
  readonly apiToken: string;
  /** Gets each log line: one JSON text without its line break. */
  readonly log: (line: string) => void;
  readonly clock?: ExampleClock;
  /** New unique texts of lowercase letters, digits and hyphens. */
  readonly newId?: () => string;
  /** Whether a new database gets its few rows; true unless said otherwise. */
  readonly seed?: boolean;
};

/** A running application. `url` is `http://host:port`; `close` may be called again and resolves when all is released. */
export type Example = { readonly url: string; readonly port: number; close(): Promise<void> };

/** How long requests in hand may take once closing has begun, in milliseconds. */
const closingGraceMs = 5000;
const closingSweepMs = 20;

const systemClock: ExampleClock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

async function endServer(server: Server): Promise<void> {
  const ended = new Promise((resolve) => server.close(resolve));
  // A connection is kept alive after its last answer; without this, closing would wait for the client to let go.
  const sweep = setInterval(() => server.closeIdleConnections(), closingSweepMs);
  const grace = setTimeout(() => server.closeAllConnections(), closingGraceMs);
  await ended;
  clearInterval(sweep);
  clearTimeout(grace);
}

async function openPrepared(options: ExampleOptions, events: EventLog, clock: ExampleClock): Promise<Database> {
  const onIdleError = (error: string) => events('warn', 'an idle database connection was lost', { error });
  const database = await openDatabase(options, onIdleError);
  try {
    const now = new Date(clock.nowMs()).toISOString();
    const seeded = await prepareDatabase(database, { seed: options.seed ?? true, now });
    events('info', 'the database is ready', { database: database.kind, seeded });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Starts the application and resolves when it listens. Throws DatabaseUnavailable when the database does not answer, an
 * Error with code EADDRINUSE and the like when it cannot listen; nothing is left running then.
 */
export async function startExample(options: ExampleOptions): Promise<Example> {
  if (options.apiToken === '') throw new Error('the API token is empty; every caller would be let in');
  const { clock = systemClock, newId = randomUUID, host } = options;
  const events = eventLog(options.log, clock);
  const database = await openPrepared(options, events, clock);
  const app = createApp({ database, events, clock, newId }, options.apiToken);
  const server = createServer(getRequestListener(app.fetch));
  const port = await listen(server, options.port, host).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  events('info', 'listening', { url });
  let closed: Promise<void> | undefined;
  const end = () => endServer(server).then(() => database.close());
  return { url, port, close: () => (closed ??= end().then(() => events('info', 'stopped'))) };
}
