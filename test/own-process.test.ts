import { globSync, readFileSync } from 'node:fs';
import t from 'tap';
import { createOwnProcessSearch } from './own-process.ts';

/** Opens a PostgreSQL server only where a process has one store alone. */
const needsOwnProcess = createOwnProcessSearch(['test/store/engine-under-test.ts', 'test/bench/parts.ts']);

t.test('what changes or measures its process needs its own, also through a module of test/', async (t) => {
  const files = [
    'test/hub/upstream/commands/stdio.test.ts',
    'test/hub/gateway/message-reader.test.ts',
    'test/registry/connect.test.ts',
    'test/console/compare/compared-periods.test.ts',
    'test/e2e/signals.test.ts',
    'test/simulation/simulation.test.ts',
    'test/executor/streams/hostile-events.test.ts',
    'test/replicas/replica.test.ts',
  ];
  for (const file of files) t.equal(needsOwnProcess(file), true, file);
});

t.test('most files share one, also those that render components', async (t) => {
  const files = globSync('test/{console,json,http,hub,commands,server}/**/*.test.{ts,tsx}');
  t.notOk(needsOwnProcess('test/console/components/secrets.test.ts'));
  t.ok(files.filter((file) => !needsOwnProcess(file)).length > 0.9 * files.length);
});

t.test('a marker of a process of its own gives its reason', async (t) => {
  for (const file of globSync('test/**/*.{ts,tsx}'))
    for (const [, reason = ''] of readFileSync(file, 'utf8').matchAll(/^\W*Own process: *(.*)$/gm))
      t.ok(reason.length > 10, `${file} says why`);
});
