import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { nameProgram } from '../../src/environment/running-binary.ts';

t.test('the program is named by its path where PATH does not find it', async (t) => {
  const folder = t.testdir({ dist: { vp: '' }, bin: { vp: '' }, empty: {} });
  const binary = { file: join(folder, 'dist/vp') };
  const name = (cwd: string, PATH = join(folder, 'empty')): string =>
    nameProgram({ cwd: join(folder, cwd), variables: { PATH }, platform: 'linux' }, binary);
  t.equal(name(''), 'dist/vp');
  t.equal(name('dist'), './vp');
  t.equal(name('empty'), join(folder, 'dist/vp'));
  t.equal(name('', join(folder, 'bin')), 'dist/vp', 'a file that cannot be executed is no program');
  chmodSync(join(folder, 'bin/vp'), 0o755);
  t.equal(name('', `${join(folder, 'empty')}:${join(folder, 'bin')}`), 'vp');
  t.equal(nameProgram({ cwd: folder, variables: {}, platform: 'linux' }, undefined), 'vp', 'run from the sources');
});
