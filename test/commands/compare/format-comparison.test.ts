import t from 'tap';
import {
  buildComparisonColumns,
  describeChange,
  formatTotals,
  isWorthShowing,
} from '../../../src/commands/compare/format-comparison.ts';
import type { ComparedScenario } from '../../../src/contract/comparison-api.ts';
import { paintFor } from '../../../src/terminal/paint.ts';
import { createComparedScenario } from '../../console/test-comparison.ts';

const formatTime = (scenario: ComparedScenario): string =>
  buildComparisonColumns(paintFor({ write: () => true }, {}, true))
    .find(({ title }) => title === 'TIME')
    ?.text(scenario) ?? '';

t.test('what became slower has both percentiles, each with the p of its own test', async (t) => {
  const slower = createComparedScenario({ speed: 'slower', speed_p: 0.0042, median_speed: 'same', median_p: 0.31 });
  t.equal(describeChange(slower), 'unchanged, slower');
  t.equal(formatTime(slower), 'p95 41 ms → 92 ms (p = 0.0042), p50 38 ms → 39 ms (p = 0.31)');
  t.ok(isWorthShowing(slower));
  const bothFaster = createComparedScenario({ speed: 'faster', speed_p: 1e-9, median_speed: 'faster', median_p: 1e-9 });
  t.equal(describeChange(bothFaster), 'unchanged, faster');
  t.match(formatTime(bothFaster), /\(p < 0\.001\), .*\(p < 0\.001\)$/);
});

t.test('what the median alone says is named as such, and counted apart', async (t) => {
  const median = createComparedScenario({ speed: 'same', speed_p: 0.2, median_speed: 'slower', median_p: 0.0001 });
  t.equal(describeChange(median), 'unchanged, slower in the median');
  t.ok(isWorthShowing(median));
  const slower = createComparedScenario({ speed: 'slower', median_speed: 'slower' });
  const totals = {
    ...{ newly_failing: 0, flaky: 0, not_judged: 0, failing_before: 0, fixed: 0 },
    added: 0,
    removed: 0,
  };
  const side = { target_version: '1', branch: null, since: '', until: '', runs: 1, complete: true };
  const sides = { base: side, head: side, slower: 1, faster: 0 };
  const comparison = { ...sides, totals: { ...totals, unchanged: 2 }, scenarios: [median, slower] };
  t.equal(formatTotals(comparison), '1 slower, 1 slower in the median only, 2 unchanged');
});

t.test('what stayed as it was has no times, and an earlier control plane no median', async (t) => {
  const same = createComparedScenario({});
  t.equal(formatTime(same), '');
  t.notOk(isWorthShowing(same));
  const {
    median_speed: _speed,
    median_p: _p,
    ...earlier
  } = createComparedScenario({ speed: 'slower', speed_p: 0.001 });
  t.equal(formatTime(earlier as ComparedScenario), 'p95 41 ms → 92 ms (p = 0.001), p50 38 ms → 39 ms');
});
