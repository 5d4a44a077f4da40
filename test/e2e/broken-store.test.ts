/** Stores and keys that cannot be used: each start says what is wrong and what to do, and changes nothing. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Test } from 'tap';
import { configText, instance } from './house.ts';
import { ownerOf, type Stage, scene } from './stage.ts';

/** What was done to a folder, and what a start must say of it. */
type Harm = {
  readonly what: string;
  harm(folder: string): void;
  readonly code: string;
  readonly exit: number;
  /** Words of the message or the cure that matter. */
  readonly says: RegExp;
};

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

/** A data folder of a control plane that was stopped in order, with an instance in it. */
async function dataFolder(stage: Stage): Promise<string> {
  const plane = await stage.serve(join(stage.folder, 'whole'));
  await ownerOf(plane).instances.create({ instance_id: instance });
  plane.running.signal('SIGTERM');
  await plane.running.ended;
  return plane.data;
}

function overwrite(file: string, from: number, to: number): void {
  const bytes = readFileSync(file);
  bytes.fill('not what SQLite wrote ', from, Math.min(to, bytes.length));
  writeFileSync(file, bytes);
}

function withSqlite(file: string, change: (sqlite: Sqlite.Database) => void): void {
  const sqlite = new Sqlite(file);
  change(sqlite);
  sqlite.close();
}

const foreign = (file: string): void => {
  rmSync(file, { force: true });
  withSqlite(file, (sqlite) => sqlite.exec('CREATE TABLE photos (name TEXT); INSERT INTO photos VALUES (1)'));
};

/** Every harm that a store may come to, whichever role's. */
function storeHarms(name: string): Harm[] {
  const file = (folder: string): string => join(folder, name);
  const backup = /restore the last backup|--data|move the file away/;
  return [
    {
      what: 'its head is overwritten',
      harm: (f) => overwrite(file(f), 0, 100),
      code: 'STORE_CORRUPT',
      exit: 4,
      says: backup,
    },
    {
      what: 'all but its head is overwritten',
      harm: (f) => overwrite(file(f), 100, 1e9),
      code: 'STORE_CORRUPT',
      exit: 4,
      says: backup,
    },
    {
      what: 'it is cut in the middle of a page',
      harm: (f) => truncateSync(file(f), 5000),
      code: 'STORE_CORRUPT',
      exit: 4,
      says: backup,
    },
    {
      what: 'it is a text',
      harm: (f) => writeFileSync(file(f), 'dear diary '.repeat(500)),
      code: 'STORE_CORRUPT',
      exit: 4,
      says: backup,
    },
    {
      what: 'it is a folder',
      harm(f) {
        rmSync(file(f), { force: true });
        mkdirSync(file(f));
      },
      code: 'STORE_UNWRITABLE',
      exit: 4,
      says: /--data/,
    },
    {
      what: 'another program made it',
      harm: (f) => foreign(file(f)),
      code: 'STORE_FOREIGN',
      exit: 4,
      says: /left untouched/,
    },
    {
      what: 'a newer version made it',
      harm: (f) => withSqlite(file(f), (sqlite) => sqlite.pragma('user_version = 99')),
      code: 'STORE_NEWER',
      exit: 4,
      says: /schema 99.*newer vp/s,
    },
  ];
}

const masterKeyHarms: Harm[] = [
  {
    what: 'the master key is gone',
    harm: (f) => rmSync(join(f, 'master.key')),
    code: 'STORE_KEY_MISSING',
    exit: 4,
    says: /put master\.key back.*VP_MASTER_KEY/s,
  },
  {
    what: 'the master key is another one',
    harm: (f) => writeFileSync(join(f, 'master.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`),
    code: 'STORE_KEY_WRONG',
    exit: 4,
    says: /belongs to this store/,
  },
  {
    what: 'the master key is no key',
    harm: (f) => writeFileSync(join(f, 'master.key'), 'swordfish\n'),
    code: 'STORE_KEY_INVALID',
    exit: 2,
    says: /openssl rand -base64 32/,
  },
  {
    what: 'others may read the master key',
    harm: (f) => chmodSync(join(f, 'master.key'), 0o644),
    code: 'STORE_KEY_EXPOSED',
    exit: 4,
    says: /chmod 600 .*master\.key/,
  },
  {
    what: 'others may read the owner key',
    harm: (f) => chmodSync(join(f, 'owner.key'), 0o640),
    code: 'STORE_KEY_EXPOSED',
    exit: 4,
    says: /chmod 600 .*owner\.key/,
  },
];

/** Starts a role on a harmed copy of `whole`, which must refuse and change nothing. */
async function refuses(t: Test, stage: Stage, whole: string, harm: Harm, line: (data: string) => string[]) {
  const data = join(stage.folder, 'harmed');
  rmSync(data, { recursive: true, force: true });
  cpSync(whole, data, { recursive: true });
  harm.harm(data);
  const before = contentOf(data);
  const { code, signal, stdout, stderr } = await stage.run(line(data));
  t.match({ code, signal, stdout }, { code: harm.exit, signal: null, stdout: '' }, `${harm.what}: exit code`);
  t.match(stderr, harm.code, `${harm.what}: its code`);
  t.match(stderr, harm.says, `${harm.what}: its words`);
  t.notMatch(stderr, /SqliteError|node:|\bat .*:\d+/, `${harm.what}: no inside of the program`);
  t.same(contentOf(data), before, `${harm.what}: nothing is changed`);
}

const serveLine = (data: string): string[] => ['serve', '--port', '0', '--data', data];

scene('a control plane and a store that cannot be used', async (t, stage) => {
  const whole = await dataFolder(stage);
  for (const harm of storeHarms('control.db')) await refuses(t, stage, whole, harm, serveLine);
});

scene('a control plane and keys that cannot be used', async (t, stage) => {
  const whole = await dataFolder(stage);
  for (const harm of masterKeyHarms) await refuses(t, stage, whole, harm, serveLine);

  const away = join(stage.folder, 'master.key');
  renameSync(join(whole, 'master.key'), away);
  t.match(await stage.run(serveLine(whole)), { code: 4, stderr: /STORE_KEY_MISSING/ });
  copyFileSync(away, join(whole, 'master.key'));
  const { url, data } = await stage.serve(whole);
  t.match(await ownerOf({ url, data }).instances.list(), [{ instance_id: instance }], 'put back, everything is there');
});

scene('an executor and a store that cannot be used', async (t, stage) => {
  const product = join(stage.folder, 'product');
  stage.write('product/platform-config.yaml', configText('http://127.0.0.1:9'));
  const line = (data: string): string[] => ['executor', '--port', '0', '--data', data, '--product-dir', product];
  const key = { VP_EXECUTOR_KEY: `vpe_${'a'.repeat(43)}`, VP_CONTROL_PLANE: 'http://127.0.0.1:9' };
  const whole = join(stage.folder, 'whole-executor');
  const executor = stage.vp([...line(whole), '--json'], { variables: key });
  await executor.said(/listening/);
  executor.signal('SIGTERM');
  t.match(await executor.ended, { code: 0 });

  const control = join(await dataFolder(stage), 'control.db');
  const mixedUp: Harm = {
    what: 'it is the control plane’s',
    harm: (f) => copyFileSync(control, join(f, 'executor.db')),
    code: 'STORE_FOREIGN',
    exit: 4,
    says: /--data/,
  };
  const exposed: Harm = {
    what: 'others may read its key for direct runs',
    harm: (f) => chmodSync(join(f, 'direct.key'), 0o604),
    code: 'STORE_KEY_EXPOSED',
    exit: 4,
    says: /chmod 600/,
  };
  const withKey: Stage['run'] = (args) => stage.vp(args, { variables: key }).ended;
  const keyed: Stage = Object.create(stage, { run: { value: withKey } });
  for (const harm of [...storeHarms('executor.db'), mixedUp, exposed]) await refuses(t, keyed, whole, harm, line);
});

scene('the key file of an executor', async (t, stage) => {
  stage.write('product/platform-config.yaml', configText('http://127.0.0.1:9'));
  const line = ['executor', '--port', '0', '--data', 'e', '--product-dir', 'product'];
  t.match(await stage.run(line), { code: 2, stderr: /EXECUTOR_KEY_ABSENT/ });
  t.match(await stage.run([...line, '--key-file', 'none.key']), {
    code: 2,
    stderr: /EXECUTOR_KEY_ABSENT.*none\.key|none\.key/s,
  });
  const file = stage.write('app.key', `vpe_${'a'.repeat(43)}\n`);
  chmodSync(file, 0o644);
  t.match(await stage.run([...line, '--key-file', file]), { code: 4, stderr: /STORE_KEY_EXPOSED/ });
  stage.write('folder.key/x', '');
  chmodSync(join(stage.folder, 'folder.key'), 0o700);
  const folder = await stage.run([...line, '--key-file', 'folder.key']);
  t.match(folder, { code: 4, stderr: /folder\.key.*STORE_KEY_UNREADABLE/ }, 'a folder in its place');
});

/** Files that the user of the process may not read; a root who runs the tests lends the process to nobody. */
scene('keys and folders that belong to somebody else', async (t, stage) => {
  const isRoot = process.getuid?.() === 0;
  const uid = isRoot ? 65_534 : undefined;
  const settings = {
    ...(uid === undefined ? {} : { uid }),
    variables: { XDG_CACHE_HOME: join(stage.folder, 'cache') },
  };
  const give = (path: string): void => {
    if (uid === undefined) return;
    chownSync(path, uid, uid);
    for (const name of readdirSync(path, { recursive: true })) chownSync(join(path, String(name)), uid, uid);
  };
  const whole = await dataFolder(stage);
  give(stage.folder);
  const locked = (path: string, mode: number): void => {
    if (isRoot) chownSync(path, 0, 0);
    chmodSync(path, isRoot ? 0o600 | (mode & 0o055) : mode);
  };

  locked(join(whole, 'master.key'), 0o000);
  const unreadable = await stage.run(serveLine(whole), settings);
  t.match(unreadable, { code: 4, stderr: /master\.key.*EACCES.*STORE_KEY_UNREADABLE/ });
  give(whole);
  chmodSync(join(whole, 'master.key'), 0o600);

  const readOnly = join(stage.folder, 'read-only');
  mkdirSync(readOnly);
  locked(readOnly, 0o555);
  if (isRoot) chmodSync(readOnly, 0o755);
  for (const data of [readOnly, join(readOnly, 'below')]) {
    const { code, stderr } = await stage.run(serveLine(data), settings);
    t.equal(code, 4);
    t.match(stderr, 'STORE_UNWRITABLE');
    t.match(stderr, '--data', 'the cure');
  }
  const file = stage.write('a-file', '');
  t.match(await stage.run(serveLine(file), settings), { code: 4, stderr: /STORE_UNWRITABLE/ });
});
