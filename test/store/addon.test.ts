import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t from 'tap';
import { VpError } from '../../src/errors/vp-error.ts';
import { addonOptions, extractAddon, type NativeAsset } from '../../src/store/addon.ts';

function assetOf(text: string): NativeAsset & { reads(): number } {
  const bytes = Buffer.from(text);
  let reads = 0;
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    reads: () => reads,
    bytes: () => {
      reads += 1;
      return bytes;
    },
  };
}

t.test('from sources better-sqlite3 finds its native part by itself', async (t) => {
  t.same(addonOptions(t.testdir()), {});
});

t.test('the native part is written once, named by its hash, for this user only', async (t) => {
  const cache = join(t.testdir(), 'not', 'there', 'yet');
  const asset = assetOf('native part');
  const file = extractAddon(asset, cache);
  t.equal(basename(file), `better_sqlite3-${asset.sha256.slice(0, 32)}.node`);
  t.equal(readFileSync(file, 'utf8'), 'native part');
  t.equal(lstatSync(dirname(file)).mode & 0o777, 0o700);
  t.same(readdirSync(dirname(file)), [basename(file)], 'nothing unfinished stays');
  t.equal(extractAddon(asset, cache), file);
  t.equal(asset.reads(), 1);
});

t.test('two versions live side by side', async (t) => {
  const cache = t.testdir();
  t.not(extractAddon(assetOf('one'), cache), extractAddon(assetOf('two'), cache));
});

t.test('a file of another content, a short one and a link are replaced', async (t) => {
  const cache = t.testdir();
  const asset = assetOf('native part');
  const file = extractAddon(asset, cache);
  for (const wrong of ['native', 'another!!!!', '']) {
    writeFileSync(file, wrong);
    t.equal(readFileSync(extractAddon(asset, cache), 'utf8'), 'native part');
  }
  const elsewhere = join(t.testdirName, 'elsewhere');
  writeFileSync(elsewhere, 'native part');
  const linked = join(dirname(file), 'linked');
  symlinkSync(elsewhere, linked);
  renameSync(linked, file);
  extractAddon(asset, cache);
  t.ok(lstatSync(file).isFile());
});

t.test('a file that others may write is replaced', async (t) => {
  const cache = t.testdir();
  const asset = assetOf('native part');
  chmodSync(extractAddon(asset, cache), 0o722);
  t.equal(lstatSync(extractAddon(asset, cache)).mode & 0o022, 0);
  t.equal(asset.reads(), 2);
});

function refusal(action: () => unknown): VpError | undefined {
  try {
    action();
  } catch (error) {
    if (error instanceof VpError) return error;
  }
  return undefined;
}

t.test('a folder that others may write is refused, with the folder and the cure', async (t) => {
  const cache = t.testdir({ native: {} });
  chmodSync(join(cache, 'native'), 0o777);
  const error = refusal(() => extractAddon(assetOf('native part'), cache));
  t.equal(error?.code, 'STORE_ADDON_UNAVAILABLE');
  t.match(error?.message, join(cache, 'native'));
  t.match(error?.cure, 'XDG_CACHE_HOME');
});

t.test('a cache that cannot be written is told, the reason as private detail', async (t) => {
  const cache = t.testdir({ file: 'in the way' });
  const error = refusal(() => extractAddon(assetOf('native part'), join(cache, 'file')));
  t.equal(error?.code, 'STORE_ADDON_UNAVAILABLE');
  t.match(error?.detail, /EEXIST|ENOTDIR/);
});
