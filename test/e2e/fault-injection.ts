/** Damaged data folders, and the assertion that a start refuses them and changes nothing. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Test } from 'tap';
import { createOwnerClient, type Sandbox } from './sandbox.ts';
import { instance } from './test-environment.ts';

/** A fault in a data folder, and the expected error. */
export type DataFault = {
  readonly description: string;
  inject(folder: string): void;
  readonly code: string;
  readonly exit: number;
  /** Matches the message or the fix. */
  readonly messagePattern: RegExp;
  /** It is found after the store was opened, which notes the time. */
  readonly isFoundLate?: boolean;
};

/** How a role is started on a data folder. */
export type RoleStart = {
  readonly args: (data: string) => readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
};

/** A control plane on a free port. */
export const serve: RoleStart = { args: (data) => ['serve', '--port', '0', '--data', data] };

/** A data folder of a control plane that was stopped in order, with an instance in it. */
export async function createControlPlaneFolder(stage: Sandbox): Promise<string> {
  const plane = await stage.serve(join(stage.folder, 'whole'));
  await createOwnerClient(plane).instances.create({ instance_id: instance });
  plane.running.signal('SIGTERM');
  await plane.running.ended;
  return plane.data;
}

/** Lock files may change, because the lock is taken before the store is opened; a position names the last process. */
const locks = /\.(lock|pid|lock-journal|position)$/;

/** Every file with its mode and a hash of its content. */
function hashFolder(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !locks.test(path));
  return Object.fromEntries(
    paths.sort().map((path) => {
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      return [path, `${(statSync(path).mode & 0o777).toString(8)} ${hash}`];
    }),
  );
}

/** Starts a role on damaged copies of `intactFolder`: each start must be refused with its reason and change nothing. */
export async function assertStartsRefused(
  t: Test,
  stage: Sandbox,
  start: RoleStart,
  intactFolder: string,
  faults: readonly DataFault[],
) {
  for (const { description, inject, code, exit, messagePattern, isFoundLate } of faults) {
    const data = join(stage.folder, 'harmed');
    rmSync(data, { recursive: true, force: true });
    cpSync(intactFolder, data, { recursive: true });
    inject(data);
    const before = hashFolder(data);
    const result = await stage.run(start.args(data), { variables: start.variables ?? {} });
    t.match(result, { code: exit, signal: null, stdout: '' }, `${description}: exit code`);
    t.match(result.stderr, code, `${description}: its code`);
    t.match(result.stderr, messagePattern, `${description}: its message`);
    t.notMatch(result.stderr, /SqliteError|node:|\bat .*:\d+/, `${description}: no internal details`);
    const after = hashFolder(data);
    if (isFoundLate)
      for (const hashes of [before, after])
        for (const store of ['control.db', 'executor.db']) delete hashes[join(data, store)];
    t.same(after, before, `${description}: nothing is changed`);
  }
}

function overwriteFile(file: string, from: number): void {
  const bytes = readFileSync(file);
  bytes.fill('not what SQLite wrote ', from, from === 0 ? 100 : bytes.length);
  writeFileSync(file, bytes);
}

function withSqlite(file: string, change: (sqlite: Sqlite.Database) => void): void {
  const sqlite = new Sqlite(file);
  change(sqlite);
  sqlite.close();
}

function replaceByForeign(file: string): void {
  rmSync(file);
  withSqlite(file, (sqlite) => sqlite.exec('CREATE TABLE photos (name TEXT); INSERT INTO photos VALUES (1)'));
}

function replaceByFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

const corrupt = {
  code: 'STORE_CORRUPT',
  exit: 4,
  messagePattern: /restore the last backup with `vp restore <file>[^`]*`, or move the file away/,
} as const;

const damaged = { ...corrupt, code: 'STORE_DAMAGED' } as const;

/** Faults of the store file `name`, for any role. */
export function storeFaults(name: string): DataFault[] {
  const onFile = (inject: (file: string) => void) => (folder: string) => inject(join(folder, name));
  const makeNewer = onFile((file) => withSqlite(file, (sqlite) => sqlite.pragma('user_version = 99')));
  return [
    { description: 'its header is overwritten', inject: onFile((file) => overwriteFile(file, 0)), ...corrupt },
    {
      description: 'all but its header is overwritten',
      inject: onFile((file) => overwriteFile(file, 100)),
      ...damaged,
    },
    {
      description: 'it is truncated in the middle of a page',
      inject: onFile((file) => truncateSync(file, 5000)),
      ...damaged,
    },
    {
      description: 'it is a text',
      inject: onFile((file) => writeFileSync(file, 'dear diary '.repeat(500))),
      ...corrupt,
    },
    {
      description: 'it is a folder',
      inject: onFile(replaceByFolder),
      code: 'STORE_UNWRITABLE',
      exit: 4,
      messagePattern: /--data/,
    },
    {
      description: 'another application created it',
      inject: onFile(replaceByForeign),
      code: 'STORE_FOREIGN',
      exit: 4,
      messagePattern: /left untouched/,
    },
    {
      description: 'a newer version created it',
      inject: makeNewer,
      code: 'STORE_NEWER',
      exit: 4,
      messagePattern: /schema 99.*newer vp/s,
    },
  ];
}
