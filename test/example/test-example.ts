/**
 * Starts the example for a test. With EXAMPLE_DATABASE_URL (a PostgreSQL role that may create databases) every start
 * gets a new database there, so that the same tests cover both storages; otherwise SQLite in memory.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Test } from 'tap';
import { type Example, type ExampleOptions, startExample } from '../../compose/example/server.ts';

/** The bearer token of every example that a test starts. */
export const apiToken = 'token-of-the-tests';

/** A parsed log line. */
export type LogLine = Readonly<Record<string, unknown>>;

/** `body` is the parsed JSON, or undefined when there is none. */
export type ExampleResponse = { readonly status: number; readonly headers: Headers; readonly body: unknown };

/** `token: null` sends none; text bodies are sent unchanged. */
export type RequestOptions = {
  readonly body?: unknown;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A started example with its parsed log. */
export type TestExample = {
  readonly example: Example;
  readonly lines: readonly LogLine[];
  readonly raw: readonly string[];
  sendRequest(method: string, path: string, requestOptions?: RequestOptions): Promise<ExampleResponse>;
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
export async function sendRequest(
  url: string,
  method: string,
  path: string,
  requestOptions: RequestOptions = {},
): Promise<ExampleResponse> {
  const { token = apiToken, body, headers } = requestOptions;
  const response = await fetch(url + path, {
    method,
    headers: { ...(token !== null && { Authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** Starts an example on a free port; it is closed at the end of the test. */
export async function startTestExample(t: Test, options: Partial<ExampleOptions> = {}): Promise<TestExample> {
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
  return {
    example,
    lines,
    raw,
    sendRequest: (method, path, requestOptions) => sendRequest(example.url, method, path, requestOptions),
  };
}

/** The lines of one request. */
export function filterLines(lines: readonly LogLine[], requestId: string): readonly LogLine[] {
  return lines.filter((line) => line.requestId === requestId);
}
