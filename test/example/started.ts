/**
 * Starts the example for a test. With EXAMPLE_DATABASE_URL (a PostgreSQL role that may create databases) every start
 * gets a new database there, so that the same tests prove both storages; otherwise SQLite in memory.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Test } from 'tap';
import { type Example, type ExampleOptions, startExample } from '../../compose/example/server.ts';

/** The bearer token of every example that a test starts. */
export const apiToken = 'token-of-the-tests';

/** A log line, parsed. */
export type LogLine = Readonly<Record<string, unknown>>;

/** An answer; `body` is the parsed JSON, or undefined where there is none. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown };

/** What a request may say beside method and path; `token: null` sends none; text bodies go as they are. */
export type Asking = {
  readonly body?: unknown;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A started example with its parsed log. */
export type Started = {
  readonly example: Example;
  readonly lines: readonly LogLine[];
  readonly raw: readonly string[];
  ask(method: string, path: string, asking?: Asking): Promise<Answer>;
};

async function administer(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

async function newDatabase(t: Test, adminUrl: string): Promise<string> {
  const name = `example_${randomBytes(6).toString('hex')}`;
  await administer(adminUrl, `CREATE DATABASE ${name}`);
  t.teardown(() => administer(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`));
  return Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
}

/** Sends one request to `url`. */
export async function ask(url: string, method: string, path: string, asking: Asking = {}): Promise<Answer> {
  const { token = apiToken, body, headers } = asking;
  const response = await fetch(url + path, {
    method,
    headers: { ...(token !== null && { Authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** Starts an example on a free port; the test's end closes it. */
export async function started(t: Test, options: Partial<ExampleOptions> = {}): Promise<Started> {
  const adminUrl = process.env.EXAMPLE_DATABASE_URL;
  const databaseUrl = adminUrl && options.sqliteFile === undefined ? await newDatabase(t, adminUrl) : undefined;
  const raw: string[] = [];
  const lines: LogLine[] = [];
  const log = (line: string) => {
    raw.push(line);
    lines.push(JSON.parse(line));
  };
  const example = await startExample({ port: 0, host: '127.0.0.1', apiToken, log, databaseUrl, ...options });
  // Teardowns run last first: the example ends before its database is dropped.
  t.teardown(() => example.close());
  return { example, lines, raw, ask: (method, path, asking) => ask(example.url, method, path, asking) };
}

/** The lines that are one request's. */
export function linesOf(lines: readonly LogLine[], requestId: string): readonly LogLine[] {
  return lines.filter((line) => line.requestId === requestId);
}
