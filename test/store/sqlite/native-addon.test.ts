import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t from 'tap';
import { VpError } from '../../../src/errors/vp-error.ts';
import { extractAddon, type NativeAddonAsset, nativeAddonOptions } from '../../../src/store/sqlite/native-addon.ts';

function createAsset(text: string): NativeAddonAsset & { reads(): number } {
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

t.test('when running from sources, better-sqlite3 finds its native addon itself', async (t) => {
  t.same(nativeAddonOptions(t.testdir()), {});
});

t.test('the native addon is written once, named by its hash, for this user only', async (t) => {
  const cache = join(t.testdir(), 'not', 'there', 'yet');
  const asset = createAsset('native part');
  const file = extractAddon(asset, cache);
  t.equal(basename(file), `better_sqlite3-${asset.sha256.slice(0, 32)}.node`);
  t.equal(readFileSync(file, 'utf8'), 'native part');
  t.equal(lstatSync(dirname(file)).mode & 0o777, 0o700);
  t.same(readdirSync(dirname(file)), [basename(file)], 'nothing unfinished stays');
  t.equal(extractAddon(asset, cache), file);
  t.equal(asset.reads(), 1);
});

t.test('two versions are stored side by side', async (t) => {
  const cache = t.testdir();
  t.not(extractAddon(createAsset('one'), cache), extractAddon(createAsset('two'), cache));
});

t.test('a file with other content, a truncated file and a link are replaced', async (t) => {
  const cache = t.testdir();
  const asset = createAsset('native part');
  const file = extractAddon(asset, cache);
  for (const content of ['native', 'another!!!!', '']) {
    writeFileSync(file, content);
    t.equal(readFileSync(extractAddon(asset, cache), 'utf8'), 'native part');
  }
  const otherFile = join(t.testdirName, 'elsewhere');
  writeFileSync(otherFile, 'native part');
  const link = join(dirname(file), 'linked');
  symlinkSync(otherFile, link);
  renameSync(link, file);
  extractAddon(asset, cache);
  t.ok(lstatSync(file).isFile());
});

t.test('a file that other users may write is replaced', async (t) => {
  const cache = t.testdir();
  const asset = createAsset('native part');
  chmodSync(extractAddon(asset, cache), 0o722);
  t.equal(lstatSync(extractAddon(asset, cache)).mode & 0o022, 0);
  t.equal(asset.reads(), 2);
});

function catchError(action: () => unknown): VpError | undefined {
  try {
    action();
  } catch (error) {
    if (error instanceof VpError) return error;
  }
  return undefined;
}

t.test('a folder that other users may write is refused; the error names the folder and the fix', async (t) => {
  const cache = t.testdir({ native: {} });
  chmodSync(join(cache, 'native'), 0o777);
  const error = catchError(() => extractAddon(createAsset('native part'), cache));
  t.equal(error?.code, 'STORE_ADDON_UNAVAILABLE');
  t.match(error?.message, join(cache, 'native'));
  t.match(error?.cure, 'XDG_CACHE_HOME');
});

t.test('an unwritable cache is an error, with the reason as private detail', async (t) => {
  const cache = t.testdir({ file: 'in the way' });
  const error = catchError(() => extractAddon(createAsset('native part'), join(cache, 'file')));
  t.equal(error?.code, 'STORE_ADDON_UNAVAILABLE');
  t.match(error?.detail, /EEXIST|ENOTDIR/);
});
