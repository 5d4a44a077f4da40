/** A real PgBouncer between a test and its PostgreSQL server. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../free-port.ts';
import { formatUrl, type PostgresServer, type UrlOptions } from './postgres-server.ts';
import { getProgram } from './programs.ts';
import { createServerFolder, giveToServer, startServerProcess, type TestEnd } from './server-process.ts';

export type PgBouncerOptions = {
  readonly poolMode: 'transaction' | 'session' | 'statement';
  /** Parameters of the section `[pgbouncer]`. */
  readonly settings?: Readonly<Record<string, string | number>>;
};

export type PgBouncer = {
  readonly port: number;
  getLog(): readonly string[];
  /** The URL of a database of the server, through PgBouncer. */
  getUrl(database: string, options?: UrlOptions): string;
  /** `kill` ends it at once, with its connections. */
  stop(mode: 'orderly' | 'kill'): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
};

const signals = { orderly: 'SIGINT', kill: 'SIGKILL' } as const;

/** Starts a PgBouncer before `server` for all of its databases; it accepts `postgres` and `vp` without a password. */
export async function startPgBouncer(
  t: TestEnd,
  server: PostgresServer,
  options: PgBouncerOptions,
): Promise<PgBouncer> {
  const folder = createServerFolder();
  t.teardown(() => folder.remove());
  const port = await findFreePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder.path, 'users.txt'),
    pool_mode: options.poolMode,
    pidfile: join(folder.path, 'pgbouncer.pid'),
    ...options.settings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const target = `* = host=${server.socketFolder} port=${server.port}`;
  const file = join(folder.path, 'pgbouncer.ini');
  for (const [path, text] of [
    [settings.auth_file, '"postgres" ""\n"vp" ""\n'],
    [file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n')],
  ] as const) {
    writeFileSync(path, text);
    giveToServer(path);
  }
  const startProcess = () => startServerProcess(getProgram('pgbouncer'), [file], /process up/);
  let process = await startProcess();
  t.teardown(() => process.end('SIGKILL'));
  return {
    port,
    getLog: () => process.log,
    getUrl: (database, urlOptions) => formatUrl(port, database, urlOptions),
    stop: (mode) => process.end(signals[mode]),
    async start() {
      process = await startProcess();
    },
  };
}
