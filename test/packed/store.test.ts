/** SQLite inside the packed binary: its native part is unpacked into the user's cache. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { packedFile, runPacked } from './packed.ts';

type Serving = { readonly child: ChildProcess; readonly url: string };

/** `vp serve` on a free port, with nothing set but where its cache is. */
async function serving(t: Test, folder: string): Promise<Serving> {
  const child = spawn(packedFile, ['serve', '--json', '--port', '0', '--data', join(folder, 'data')], {
    env: { XDG_CACHE_HOME: join(folder, 'cache') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, url: JSON.parse(line).url };
}

async function ended({ child }: Serving): Promise<number | null> {
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  return code;
}

t.test('the control plane opens its store, ends on SIGTERM and opens it again', async (t) => {
  const folder = t.testdir();
  for (const start of ['first', 'second']) {
    const served = await serving(t, folder);
    t.equal((await fetch(`${served.url}/readyz`)).status, 200, `${start} start`);
    t.equal(await ended(served), 0);
  }
  t.ok(existsSync(join(folder, 'data', 'control.db')));
  t.match(readdirSync(join(folder, 'cache', 'vp', 'native')), [/^better_sqlite3-[0-9a-f]{32}\.node$/]);
});

t.test('several first starts at once share one native part', async (t) => {
  const folder = t.testdir({ one: {}, two: {}, three: {} });
  const cache = join(folder, 'cache');
  const starts = ['one', 'two', 'three'].map(async (name) => {
    const child = spawn(packedFile, ['serve', '--json', '--port', '0', '--data', join(folder, name)], {
      env: { XDG_CACHE_HOME: cache },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    await once(createInterface({ input: child.stdout }), 'line');
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  await Promise.all(starts);
  t.equal(readdirSync(join(cache, 'vp', 'native')).length, 1);
});

t.test('an unwritable cache is reported with a fix, and no data is changed', async (t) => {
  const folder = t.testdir({ cache: 'a file where the folder should be' });
  const { status, stderr } = runPacked(['serve', '--port', '0', '--data', join(folder, 'data')], {
    XDG_CACHE_HOME: join(folder, 'cache'),
  });
  t.equal(status, 4);
  t.match(stderr, 'STORE_ADDON_UNAVAILABLE');
  t.match(stderr, 'XDG_CACHE_HOME');
  t.notOk(existsSync(join(folder, 'data', 'control.db')));
});

t.test('a native part that was tampered with is not loaded', async (t) => {
  const folder = t.testdir();
  await ended(await serving(t, folder));
  const native = join(folder, 'cache', 'vp', 'native');
  const [file = ''] = readdirSync(native);
  writeFileSync(join(native, file), 'not a library');
  t.equal(await ended(await serving(t, folder)), 0);
});
