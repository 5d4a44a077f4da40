/** The order in which what a test has started ends. */
import { existsSync } from 'node:fs';
import t from 'tap';

const folders: string[] = [];

t.test('a folder is there while functions of `t.teardown` are called, whatever a test calls first', async (t) => {
  const wereThere: boolean[] = [];
  for (const isFirst of [true, false])
    await t.test(isFirst ? 'the folder' : 'a function', async (t) => {
      if (isFirst) folders.push(t.testdir());
      t.teardown(async () => wereThere.push(existsSync(t.testdirName)));
      if (!isFirst) folders.push(t.testdir());
      t.pass();
    });
  t.same(wereThere, [true, true]);
  t.same(
    folders.filter((folder) => existsSync(folder)),
    [],
    'and removed behind them',
  );
});
