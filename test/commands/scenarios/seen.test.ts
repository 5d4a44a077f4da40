import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { seenFiles } from '../../../src/commands/scenarios/seen.ts';
import { pathsOf } from '../../../src/environment/paths.ts';
import { systemRandom as random } from '../../../src/environment/random.ts';

const url = 'http://127.0.0.1:7700';
const seen = { revision: 3, sha256: 'abc' };

t.test('what was seen is known again, per control plane, instance, scenario and file', async (t) => {
  const me = { paths: pathsOf({}, 'linux', t.testdir()), cwd: '/work', random };
  const files = seenFiles(me, url, 'shop');
  files.put('RT-a', 'a.md', seen);
  t.same(files.of('RT-a', '/work/a.md'), seen);
  t.equal(seenFiles(me, url, 'shop').of('RT-a', 'a.md'), undefined, 'not before it is saved');
  files.save();
  t.same(seenFiles(me, url, 'shop').of('RT-a', 'a.md'), seen);
  t.equal(seenFiles({ ...me, cwd: '/other' }, url, 'shop').of('RT-a', 'a.md'), undefined);
  t.equal(seenFiles(me, url, 'shop').of('RT-b', 'a.md'), undefined);
  t.equal(seenFiles(me, url, 'other').of('RT-a', 'a.md'), undefined);
  t.equal(seenFiles(me, 'https://vp.example.com/base', 'shop').of('RT-a', 'a.md'), undefined);
});

t.test('a file that is damaged, or cannot be written, is as if nothing had been seen', async (t) => {
  const home = t.testdir();
  const me = { paths: pathsOf({}, 'linux', home), cwd: '/work', random };
  const files = seenFiles(me, url, 'shop');
  files.put('RT-a', 'a.md', seen);
  files.save();
  const folder = join(me.paths.data, 'scenarios', '127.0.0.1_7700');
  t.same(readdirSync(folder), ['shop.json']);
  for (const text of ['', '[1]', 'null', '{"RT-a /work/a.md":{"revision":"3"}}', '{"RT-a /work/a.md":7}']) {
    writeFileSync(join(folder, 'shop.json'), text);
    t.equal(seenFiles(me, url, 'shop').of('RT-a', 'a.md'), undefined, text);
  }
  writeFileSync(join(home, 'file'), '');
  const nowhere = seenFiles({ ...me, paths: { ...me.paths, data: join(home, 'file') } }, url, 'shop');
  nowhere.put('RT-a', 'a.md', seen);
  t.doesNotThrow(() => nowhere.save());
});
