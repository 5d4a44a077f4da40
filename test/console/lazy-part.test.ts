import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { loadWithRetry } from '../../src/console/lazy-component.ts';

t.test('a part that does not load is tried again, and then told with its fix', async (t) => {
  let attempts = 0;
  const loadThird = async (): Promise<string> => {
    attempts += 1;
    if (attempts < 3) throw new TypeError('Failed to fetch dynamically imported module');
    return 'loaded';
  };
  t.equal(await loadWithRetry(loadThird, [1, 1, 1]), 'loaded');
  t.equal(attempts, 3);
  let failures = 0;
  const neverLoad = async (): Promise<string> => {
    failures += 1;
    throw new TypeError('Failed to fetch dynamically imported module');
  };
  await t.rejects(loadWithRetry(neverLoad, [1, 1]), { code: 'CONSOLE_PART_UNREACHABLE', cure: /reload the page/ });
  t.equal(failures, 3);
});

t.test(
  'a further attempt imports the part from another URL, because browsers remember the failure of the first',
  async (t) => {
    const text = "if (!import.meta.url.endsWith('?attempt=3')) throw new Error('lost');\nexport const name = 'part';\n";
    const file = pathToFileURL(join(t.testdir({ 'part.mjs': text }), 'part.mjs')).href;
    const load = (): Promise<{ name: string }> => Promise.reject(new TypeError('remembered'));
    load.toString = () => `()=>import("${file}")`;
    t.equal((await loadWithRetry(load, [1, 1, 1])).name, 'part');
  },
);
