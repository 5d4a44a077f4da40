import { createElement } from 'react';
import t from 'tap';
import { ComparisonTable } from '../../../src/console/compare/comparison-table.tsx';
import { renderComponent } from '../render-component.ts';
import { replaceGlobals } from '../replace-globals.ts';
import { createComparedScenario } from '../test-comparison.ts';

t.test('each percentile stands with the p of its own test, and the one that changed is named', async (t) => {
  const scenarios = [
    createComparedScenario({ scenario_id: 'RT-1', speed: 'slower', speed_p: 0.0042, median_p: 0.31 }),
    createComparedScenario({ scenario_id: 'RT-2', median_speed: 'slower', median_p: 0.000_01 }),
    createComparedScenario({ scenario_id: 'RT-3', speed: 'not_tested', speed_p: null, median_p: null }),
  ];
  const table = createElement(ComparisonTable, { scenarios });
  const { container } = await renderComponent(t, table, async (window) => {
    const { location, history } = window;
    replaceGlobals(t, { location, history });
    for (const name of ['addEventListener', 'removeEventListener'] as const)
      replaceGlobals(t, { [name]: window[name].bind(window) });
    return table;
  });
  const durations = [...container.querySelectorAll('[data-label=Duration]')].map(({ textContent }) => textContent);
  t.same(durations, [
    ' slower: p95 41 ms → 92 ms (p = 0.0042), p50 38 ms → 39 ms (p = 0.31)',
    ' slower in the median: p95 41 ms → 92 ms (p = 0.5), p50 38 ms → 39 ms (p < 0.001)',
    'p95 41 ms → 92 ms, p50 38 ms → 39 ms',
  ]);
});
