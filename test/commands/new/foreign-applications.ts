/** Applications of the development dependencies, started as their users start them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventually } from '../../eventually.ts';
import { findFreePort } from '../../free-port.ts';

/** Whoever ends it: a test, or the bench. */
export type Teardown = { teardown(end: () => unknown): unknown };

export type ForeignApplication = { readonly origin: string; readonly logFile: string };

type StartOptions = {
  readonly folder: string;
  readonly port: number;
  /** Arguments of Node.js. */
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
};

/** Its output is in `logFile`. Resolves when it answers. */
async function start(
  owner: Teardown,
  { folder, port, args, variables = {} }: StartOptions,
): Promise<ForeignApplication> {
  const logFile = join(folder, 'app.log');
  const output = openSync(logFile, 'a');
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1', ...variables },
    cwd: folder,
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  owner.teardown(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
  const origin = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(origin)).status < 500, { timeoutMs: 60_000 });
  return { origin, logFile };
}

const toPackage = (path: string): string => resolve('node_modules', path);

/** The MCP inspector: serves its page for every unknown path, and wants a token in a header of its own below `/api`. */
export async function startInspector(owner: Teardown, folder: string, apiToken: string): Promise<ForeignApplication> {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
  return start(owner, {
    folder,
    port,
    args: [toPackage('@modelcontextprotocol/inspector/clients/launcher/build/index.js'), '--web'],
    variables: {
      CLIENT_PORT: String(port),
      SERVER_PORT: String(sandboxPort),
      MCP_AUTO_OPEN_ENABLED: 'false',
      MCP_INSPECTOR_API_TOKEN: apiToken,
      MCP_INSPECTOR_SECRET_STORE: 'memory',
    },
  });
}

/** json-server with posts; logs lines of text. */
export async function startJsonServer(owner: Teardown, folder: string): Promise<ForeignApplication> {
  const port = await findFreePort();
  const posts = [
    { id: 1, title: 'one' },
    { id: 2, title: 'two' },
  ];
  writeFileSync(join(folder, 'db.json'), JSON.stringify({ posts }));
  const program = toPackage('json-server/lib/cli/bin.js');
  return start(owner, { folder, port, args: [program, '--host', '127.0.0.1', '--port', String(port), 'db.json'] });
}

/** PostGraphile: a GraphQL API for the tables of a database; logs a line of text for each operation. */
export async function startPostGraphile(
  owner: Teardown,
  folder: string,
  databaseUrl: string,
): Promise<ForeignApplication> {
  const port = await findFreePort();
  const options = ['--connection', databaseUrl, '--schema', 'public', '--host', '127.0.0.1', '--port', String(port)];
  return start(owner, { folder, port, args: [toPackage('postgraphile/cli.js'), ...options, '--disable-graphiql'] });
}

/** The dashboard that others wrote for pg-boss: the jobs of its tables over HTTP; logs a line of text for each request. */
export async function startQueueDashboard(
  owner: Teardown,
  folder: string,
  databaseUrl: string,
): Promise<ForeignApplication> {
  const port = await findFreePort();
  const program = toPackage('pg-boss-admin-dashboard/bin/pg-boss-admin-dashboard.js');
  const variables = { PGBOSS_DATABASE_URL: databaseUrl };
  return start(owner, { folder, port, args: [program, `--port=${port}`, '--no-browser'], variables });
}

/** An example that fastify-cli comes with; logs JSON lines. */
export async function startFastifyExample(owner: Teardown, folder: string): Promise<ForeignApplication> {
  const port = await findFreePort();
  const program = toPackage('fastify-cli/cli.js');
  const example = toPackage('fastify-cli/examples/plugin.js');
  const options = ['--address', '127.0.0.1', '--port', String(port), '--log-level', 'info'];
  return start(owner, { folder, port, args: [program, 'start', ...options, example] });
}

/** Scalar's mock server with Scalar's example of an OpenAPI document; some paths want a token. */
export async function startMockServer(owner: Teardown, folder: string): Promise<ForeignApplication> {
  const port = await findFreePort();
  const script = `
    import { readFileSync } from 'node:fs';
    import { serve } from ${JSON.stringify(import.meta.resolve('@hono/node-server'))};
    import { createMockServer } from ${JSON.stringify(import.meta.resolve('@scalar/mock-server'))};
    const document = JSON.parse(readFileSync(${JSON.stringify(toPackage('@scalar/galaxy/dist/latest.json'))}, 'utf8'));
    serve({ fetch: (await createMockServer({ document })).fetch, port: ${port}, hostname: '127.0.0.1' });`;
  const file = join(folder, 'mock-server.mjs');
  writeFileSync(file, script);
  return start(owner, { folder, port, args: [file] });
}
