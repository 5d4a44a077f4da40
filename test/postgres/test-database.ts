/** Databases of tests on one PostgreSQL server of the test's process, which starts with the first of them. */
import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

export type TestDatabase = {
  readonly name: string;
  /** Connects as superuser. */
  readonly url: string;
  readonly server: PostgresServer;
  /** Runs SQL as superuser and returns the rows. */
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
};

export type TestDatabaseOptions = {
  /** The clauses of CREATE DATABASE: `ENCODING 'SQL_ASCII'`. */
  readonly clauses?: string;
  /** A database that `createTemplate` returned; empty unless given. */
  readonly template?: string;
};

let sharedServer: Promise<PostgresServer> | undefined;

/** The server of this process; it is stopped after the last test of the file. */
export function getSharedServer(): Promise<PostgresServer> {
  sharedServer ??= startSharedServer();
  return sharedServer;
}

/** Measurements load this file too, and `tap` ends what runs for longer than a test may. */
async function startSharedServer(): Promise<PostgresServer> {
  const { default: tap } = await import('tap');
  return await startPostgres(tap, { settings: { max_connections: 200, max_prepared_transactions: 10 } });
}

function createName(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}

/** Creates a database that is dropped, with its connections, at the end of the test. */
export async function createTestDatabase(t: Test, options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { template = 'template0', clauses = '' } = options;
  const server = await getSharedServer();
  const name = createName('test');
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${clauses}`);
  t.teardown(() => server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return { name, server, url: server.getUrl(name), query: (sql) => server.query(sql, name) };
}

/**
 * Creates a database, calls `prepare` with its URL (to migrate it, for example), and returns its name for
 * `createTestDatabase`. `prepare` must leave no connection.
 */
export async function createTemplate(prepare: (url: string) => Promise<void>): Promise<string> {
  const server = await getSharedServer();
  const name = createName('template');
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  await prepare(server.getUrl(name));
  return name;
}
