/** The files of a new PostgreSQL cluster. They are written once for a version, because initdb takes 0.5 s and a copy a tenth of that. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getProgram, runProgram, serverOwner } from './programs.ts';

const cacheFolder = resolve('.cache/test');

function copyFolder(source: string, target: string): void {
  execFileSync('cp', ['-a', source, target]);
}

function getCachedFolder(): string {
  const version = execFileSync(getProgram('postgres'), ['--version'], { encoding: 'utf8' });
  const user = serverOwner.uid ?? process.getuid?.() ?? '';
  return join(cacheFolder, `postgres-${/[\d.]+/.exec(version)?.[0]}-${user}`);
}

/** Creates the data folder `data`, whose superuser is `postgres`. */
export function createDataFolder(data: string): void {
  const cached = getCachedFolder();
  if (existsSync(cached)) {
    copyFolder(cached, data);
    return;
  }
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--wal-segsize=1'];
  runProgram('initdb', ['--pgdata', data, '--no-sync', '--no-instructions', ...options]);
  const part = `${cached}.${process.pid}.part`;
  mkdirSync(cacheFolder, { recursive: true });
  try {
    copyFolder(data, part);
    renameSync(part, cached);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    // Another run was faster.
    if (!existsSync(cached)) throw error;
  }
}

/** The test itself administers by the Unix socket, and standbys follow by it. */
const testAccess = ['local all postgres trust', 'local replication postgres trust'];
const trustEveryone = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host all all ::1/128 trust'];

/** Who may connect: lines of pg_hba.conf; everyone on this machine without a password unless given. */
export function writeAccessRules(data: string, lines: readonly string[] = trustEveryone): void {
  writeFileSync(join(data, 'pg_hba.conf'), `${[...testAccess, ...lines].join('\n')}\n`);
}

/** Fast, small and forgetful when the machine ends: files are not synced. */
const defaultSettings = {
  listen_addresses: '127.0.0.1',
  shared_buffers: '32MB',
  fsync: 'off',
  full_page_writes: 'off',
  jit: 'off',
  wal_level: 'replica',
  hot_standby: 'on',
};

/** Parameters of the server, as in postgresql.conf; later ones win. */
export type PostgresSettings = Readonly<Record<string, string | number>>;

/** Writes settings of the server. */
export function writeSettings(data: string, settings: PostgresSettings): void {
  const all = Object.entries({ ...defaultSettings, ...settings });
  const lines = all.map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`);
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''));
}
