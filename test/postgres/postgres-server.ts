/** A real PostgreSQL server of a test, on a Unix socket and on a free port of 127.0.0.1. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../eventually.ts';
import { findFreePort } from '../free-port.ts';
import type { KeyPair } from '../targets/certificates.ts';
import { createDataFolder, type PostgresSettings, writeAccessRules, writeSettings } from './data-folder.ts';
import { getProgram, runProgram } from './programs.ts';
import {
  createServerFolder,
  giveToServer,
  type ServerProcess,
  startServerProcess,
  type TestEnd,
} from './server-process.ts';

export type PostgresOptions = {
  readonly settings?: PostgresSettings;
  /** Lines of pg_hba.conf; everyone on this machine without a password unless given. */
  readonly accessRules?: readonly string[];
  /** Turns TLS on. */
  readonly certificate?: KeyPair;
  /** The authority of clients' certificates. */
  readonly clientAuthority?: string;
  /** The files are on a disk, also where the system has a file system in memory. */
  readonly isOnDisk?: boolean;
};

/** `host`: 127.0.0.1 unless given. */
export type UrlOptions = {
  readonly user?: string;
  readonly password?: string;
  readonly host?: string;
  readonly parameters?: Readonly<Record<string, string>>;
};

export type PostgresServer = {
  readonly port: number;
  /** The folder of its Unix socket, usable as a host. */
  readonly socketFolder: string;
  /** Lines of its log since its last start. */
  getLog(): readonly string[];
  getUrl(database: string, options?: UrlOptions): string;
  /** Runs SQL as superuser and returns the rows; in the database `postgres` unless given. */
  query(sql: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  /** `fast` ends all sessions and writes everything; `immediate` is like a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
  /** Replaces the lines of pg_hba.conf; they apply to new connections. */
  setAccessRules(lines: readonly string[]): Promise<void>;
};

const readyLine = /database system is ready to accept (?:read-only )?connections/;
/** A standby without `hot_standby` accepts no connections. */
const silentStandbyLine = /started streaming WAL/;
const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** Starts a server that is stopped at the end of the test. Tests that need only a database share one: see test-database.ts. */
export async function startPostgres(t: TestEnd, options: PostgresOptions = {}): Promise<PostgresServer> {
  return startServer(t, options, (data) => {
    createDataFolder(data);
    if (options.certificate === undefined) return;
    writeServerFile(join(data, 'server.crt'), options.certificate.cert);
    writeServerFile(join(data, 'server.key'), options.certificate.key);
    if (options.clientAuthority !== undefined) writeServerFile(join(data, 'root.crt'), options.clientAuthority);
  });
}

/** Starts a standby that follows `primary`, read-only until `SELECT pg_promote()`. */
export async function startStandby(
  t: TestEnd,
  primary: PostgresServer,
  options: PostgresOptions = {},
): Promise<PostgresServer> {
  const connection = ['--host', primary.socketFolder, '--port', String(primary.port), '--username', 'postgres'];
  return startServer(t, options, (data) =>
    runProgram('pg_basebackup', [
      ...connection,
      '--pgdata',
      data,
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--no-sync',
    ]),
  );
}

/**
 * Stops what receives the changes of the primary, and returns a function that lets it go on: at once, where a standby that is started
 * again may need longer than a write waits for it.
 */
export async function freezeReplication(t: TestEnd, standby: PostgresServer): Promise<() => void> {
  const receivers = "SELECT pid FROM pg_stat_wal_receiver WHERE status = 'streaming'";
  const { pid } = await eventually(async () => (await standby.query(receivers))[0]);
  process.kill(Number(pid), 'SIGSTOP');
  let isFrozen = true;
  const resume = (): void => {
    if (isFrozen) process.kill(Number(pid), 'SIGCONT');
    isFrozen = false;
  };
  t.teardown(resume);
  return resume;
}

function writeServerFile(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  giveToServer(file);
}

async function startServer(
  t: TestEnd,
  options: PostgresOptions,
  createFiles: (data: string) => void,
): Promise<PostgresServer> {
  const folder = createServerFolder(options);
  t.teardown(() => folder.remove());
  const data = join(folder.path, 'data');
  createFiles(data);
  const port = await findFreePort();
  writeSettings(data, {
    port,
    unix_socket_directories: folder.path,
    ssl: options.certificate ? 'on' : 'off',
    ssl_ca_file: options.clientAuthority ? 'root.crt' : '',
    ...options.settings,
  });
  writeAccessRules(data, options.accessRules);
  const startProcess = (): Promise<ServerProcess> =>
    startServerProcess(
      getProgram('postgres'),
      ['-D', data],
      options.settings?.hot_standby === 'off' ? silentStandbyLine : readyLine,
    );
  let process = await startProcess();
  t.teardown(() => process.end('SIGQUIT'));
  const query: PostgresServer['query'] = (sql, database = 'postgres') =>
    queryOnce({ host: folder.path, port, user: 'postgres', database }, sql);
  return {
    port,
    query,
    socketFolder: folder.path,
    getLog: () => process.log,
    getUrl: (database, urlOptions) => formatUrl(port, database, urlOptions),
    stop: (mode) => process.end(signals[mode]),
    async start() {
      process = await startProcess();
    },
    async setAccessRules(lines) {
      writeAccessRules(data, lines);
      await query('SELECT pg_reload_conf()');
    },
  };
}

/** Connects, runs SQL and disconnects. */
export async function queryOnce(config: pg.ClientConfig, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(config);
  // A server that dies ends idle connections as well; queries say so themselves.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql).finally(() => client.end());
  return rows;
}

/** The URL of a database; `host` may be the folder of a Unix socket. */
export function formatUrl(port: number, database: string, options: UrlOptions = {}): string {
  const { user = 'postgres', password, host = '127.0.0.1', parameters = {} } = options;
  const credentials = [user, ...(password === undefined ? [] : [password])].map(encodeURIComponent).join(':');
  const query = new URLSearchParams(parameters).toString();
  return `postgres://${credentials}@${encodeURIComponent(host)}:${port}/${database}${query === '' ? '' : `?${query}`}`;
}
