/** Data folders to which something was done, and the proof that a start refuses them and changes nothing. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Test } from 'tap';
import { instance } from './house.ts';
import { ownerOf, type Stage } from './stage.ts';

/** What was done to a folder, and what a start must say of it. */
export type Harm = {
  readonly what: string;
  harm(folder: string): void;
  readonly code: string;
  readonly exit: number;
  /** Words of the message or the cure that matter. */
  readonly says: RegExp;
};

/** How a role is started on a data folder. */
export type Start = {
  readonly words: (data: string) => readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
};

/** A control plane on a free port. */
export const serve: Start = { words: (data) => ['serve', '--port', '0', '--data', data] };

/** A data folder of a control plane that was stopped in order, with an instance in it. */
export async function planeFolder(stage: Stage): Promise<string> {
  const plane = await stage.serve(join(stage.folder, 'whole'));
  await ownerOf(plane).instances.create({ instance_id: instance });
  plane.running.signal('SIGTERM');
  await plane.running.ended;
  return plane.data;
}

/** Locks are taken before anything is looked at. */
const locks = /\.(lock|pid|lock-journal)$/;

/** Every file with its mode and a hash of its content. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !locks.test(path));
  return Object.fromEntries(
    paths.sort().map((path) => {
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      return [path, `${(statSync(path).mode & 0o777).toString(8)} ${hash}`];
    }),
  );
}

/** Starts a role on harmed copies of the folder `whole`: each start must refuse, with its reason, and change nothing. */
export async function refuses(t: Test, stage: Stage, start: Start, whole: string, harms: readonly Harm[]) {
  for (const { what, harm, code, exit, says } of harms) {
    const data = join(stage.folder, 'harmed');
    rmSync(data, { recursive: true, force: true });
    cpSync(whole, data, { recursive: true });
    harm(data);
    const before = contentOf(data);
    const ending = await stage.run(start.words(data), { variables: start.variables ?? {} });
    t.match(ending, { code: exit, signal: null, stdout: '' }, `${what}: exit code`);
    t.match(ending.stderr, code, `${what}: its code`);
    t.match(ending.stderr, says, `${what}: its words`);
    t.notMatch(ending.stderr, /SqliteError|node:|\bat .*:\d+/, `${what}: no inside of the program`);
    t.same(contentOf(data), before, `${what}: nothing is changed`);
  }
}

function overwrite(file: string, from: number): void {
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
  says: /restore the last backup with `vp restore`, or move the file away/,
} as const;

/** Every harm that the store `name` may come to, whichever role's. */
export function storeHarms(name: string): Harm[] {
  const to = (harm: (file: string) => void) => (folder: string) => harm(join(folder, name));
  const newer = to((file) => withSqlite(file, (sqlite) => sqlite.pragma('user_version = 99')));
  return [
    { what: 'its head is overwritten', harm: to((file) => overwrite(file, 0)), ...corrupt },
    { what: 'all but its head is overwritten', harm: to((file) => overwrite(file, 100)), ...corrupt },
    { what: 'it is cut in the middle of a page', harm: to((file) => truncateSync(file, 5000)), ...corrupt },
    { what: 'it is a text', harm: to((file) => writeFileSync(file, 'dear diary '.repeat(500))), ...corrupt },
    { what: 'it is a folder', harm: to(replaceByFolder), code: 'STORE_UNWRITABLE', exit: 4, says: /--data/ },
    { what: 'others made it', harm: to(replaceByForeign), code: 'STORE_FOREIGN', exit: 4, says: /left untouched/ },
    { what: 'a newer version made it', harm: newer, code: 'STORE_NEWER', exit: 4, says: /schema 99.*newer vp/s },
  ];
}
