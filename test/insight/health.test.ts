import t from 'tap';
import { computeHealth, findFlakiness, type JudgedResult } from '../../src/insight/health.ts';

/** Results of one revision: `p` passed, `f` failed. */
function createResults(letters: string, version: string | null = '1.0', text = 1): JudgedResult[] {
  return [...letters].map((letter) => ({ passed: letter === 'p', version, text }));
}

t.test('health is the pass rate times the share of results that do not differ from the one before', async (t) => {
  t.match(computeHealth(createResults('pppp')), { passRate: 1, flipRate: 0, health: 1 });
  t.match(computeHealth(createResults('ffff')), { passRate: 0, flipRate: 0, health: 0 });
  t.match(computeHealth(createResults('pfpfp')), { passed: 3, failed: 2, passRate: 0.6, flipRate: 1, health: 0 });
  t.match(computeHealth(createResults('pppf')), { passRate: 0.75, flipRate: 1 / 3, health: 0.75 * (1 - 1 / 3) });
  t.match(computeHealth(createResults('p')), { passRate: 1, flipRate: 0, health: 1 });
  t.match(computeHealth([]), { passRate: null, flipRate: null, health: null });
});

t.test('both results of one version and one revision are flaky; of two versions they are a regression', async (t) => {
  t.same(findFlakiness(createResults('ppfp')), { version: '1.0' });
  t.equal(findFlakiness([...createResults('ffff', '1.1'), ...createResults('pppp', '1.0')]), undefined);
  t.equal(findFlakiness([...createResults('ff', '1.0', 2), ...createResults('pp', '1.0', 1)]), undefined);
  t.same(findFlakiness([...createResults('pf', '1.1'), ...createResults('pf', '1.0')]), { version: '1.1' });
});

t.test('without a version, a regression and its fix are not flaky', async (t) => {
  t.equal(findFlakiness(createResults('ppffff', null)), undefined);
  t.equal(findFlakiness(createResults('ppffpp', null)), undefined);
  t.same(findFlakiness(createResults('pfpfpp', null)), { version: null });
});
