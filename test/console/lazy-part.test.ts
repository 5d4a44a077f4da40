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
