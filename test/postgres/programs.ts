/**
 * The programs of PostgreSQL and PgBouncer on this machine. They are looked for in `VP_TEST_POSTGRES_BIN`, in PATH and where Debian
 * installs them. Where they are missing, tests are skipped with the reason; with `VP_TEST_POSTGRES=required` they fail.
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, globSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const { env, getuid } = process;

/** The newest of Debian's versions first. */
function listFolders(): string[] {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const named = env.VP_TEST_POSTGRES_BIN === undefined ? [] : [env.VP_TEST_POSTGRES_BIN];
  return [...named, ...(env.PATH ?? '').split(delimiter), ...debian, '/usr/sbin', '/usr/local/sbin'];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const programFolders = listFolders();

/** The programs of one version are in one folder, to which a link in PATH may lead. */
function findServerFolder(): string | undefined {
  const file = programFolders.map((folder) => join(folder, 'postgres')).find(isExecutable);
  return file === undefined ? undefined : dirname(realpathSync(file));
}

const serverFolder = findServerFolder();

function findProgram(name: string): string | undefined {
  const folders = name === 'pgbouncer' ? programFolders : [serverFolder ?? ''];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** The path of a program. Throws where it is not installed. */
export function getProgram(name: string): string {
  const file = findProgram(name);
  if (file === undefined) throw new Error(`${name} is not installed: apt-get install postgresql pgbouncer`);
  return file;
}

function findObstacle(...names: readonly string[]): string | false {
  if (env.VP_TEST_POSTGRES === 'required') return false;
  if (process.platform === 'win32') return 'PostgreSQL is not started on Windows';
  const missing = names.filter((name) => findProgram(name) === undefined);
  return missing.length === 0 ? false : `${missing.join(' and ')} not installed (apt-get install postgresql pgbouncer)`;
}

/** The `skip` of a test that needs a PostgreSQL server: `t.test(name, { skip: skipWithoutPostgres }, …)`. */
export const skipWithoutPostgres = findObstacle('initdb', 'postgres');
/** The `skip` of a test that needs a standby too. */
export const skipWithoutStandby = findObstacle('initdb', 'postgres', 'pg_basebackup');
/** The `skip` of a test that needs PgBouncer too. */
export const skipWithoutPgBouncer = findObstacle('initdb', 'postgres', 'pgbouncer');

/** Neither server runs as root: then as `postgres`, which Debian's package creates, or `nobody`. */
function findOwner(): { readonly uid?: number; readonly gid?: number } {
  if (getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const readId = (flag: string): number => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }));
      return { uid: readId('-u'), gid: readId('-g') };
    } catch {}
  }
  return {};
}

/** The user of the servers' processes and files; empty where that is the user of the tests. */
export const serverOwner = findOwner();

/** Messages in English, and no `PG…` variables of the user who runs the tests. */
export const serverEnvironment = { PATH: env.PATH ?? '', LC_ALL: 'C' };

/** Runs a program to its end as the servers' user. Throws with its messages. */
export function runProgram(name: string, args: readonly string[]): void {
  execFileSync(getProgram(name), args, {
    ...serverOwner,
    cwd: '/',
    env: serverEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}
