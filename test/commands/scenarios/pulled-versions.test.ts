import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openPulledVersions } from '../../../src/commands/scenarios/pulled-versions.ts';
import { resolvePaths } from '../../../src/environment/paths.ts';
import { systemRandom as random } from '../../../src/environment/random.ts';

const url = 'http://127.0.0.1:7700';
const pulledVersion = { revision: 3, sha256: 'abc' };

t.test('versions are stored per control plane, instance, scenario and file', async (t) => {
  const dependencies = { paths: resolvePaths({}, 'linux', t.testdir()), cwd: '/work', random };
  const versions = openPulledVersions(dependencies, url, 'shop');
  versions.set('RT-a', 'a.md', pulledVersion);
  t.same(versions.get('RT-a', '/work/a.md'), pulledVersion);
  t.equal(openPulledVersions(dependencies, url, 'shop').get('RT-a', 'a.md'), undefined, 'not before it is saved');
  versions.save();
  t.same(openPulledVersions(dependencies, url, 'shop').get('RT-a', 'a.md'), pulledVersion);
  t.equal(openPulledVersions({ ...dependencies, cwd: '/other' }, url, 'shop').get('RT-a', 'a.md'), undefined);
  t.equal(openPulledVersions(dependencies, url, 'shop').get('RT-b', 'a.md'), undefined);
  t.equal(openPulledVersions(dependencies, url, 'other').get('RT-a', 'a.md'), undefined);
  t.equal(openPulledVersions(dependencies, 'https://vp.example.com/base', 'shop').get('RT-a', 'a.md'), undefined);
});

t.test('a damaged or unwritable file is treated as empty', async (t) => {
  const home = t.testdir();
  const dependencies = { paths: resolvePaths({}, 'linux', home), cwd: '/work', random };
  const versions = openPulledVersions(dependencies, url, 'shop');
  versions.set('RT-a', 'a.md', pulledVersion);
  versions.save();
  const folder = join(dependencies.paths.data, 'scenarios', '127.0.0.1_7700');
  t.same(readdirSync(folder), ['shop.json']);
  for (const text of ['', '[1]', 'null', '{"RT-a /work/a.md":{"revision":"3"}}', '{"RT-a /work/a.md":7}']) {
    writeFileSync(join(folder, 'shop.json'), text);
    t.equal(openPulledVersions(dependencies, url, 'shop').get('RT-a', 'a.md'), undefined, text);
  }
  writeFileSync(join(home, 'file'), '');
  const nowhere = openPulledVersions(
    { ...dependencies, paths: { ...dependencies.paths, data: join(home, 'file') } },
    url,
    'shop',
  );
  nowhere.set('RT-a', 'a.md', pulledVersion);
  t.doesNotThrow(() => nowhere.save());
});
