import t from 'tap';
import { selectScenarios } from '../../src/schedule/selection.ts';

const catalogue = [
  { scenario_id: 'RT-GET-item', tags: ['smoke'] },
  { scenario_id: 'RT-POST-item', tags: ['write', 'slow'] },
  { scenario_id: 'UI-login', tags: [] },
];

t.test('scenarios are selected by id, by pattern and by tag, each once', async (t) => {
  const select = (selection: Parameters<typeof selectScenarios>[1]) =>
    selectScenarios(catalogue, selection).map(({ scenario_id: id }) => id);
  t.same(select({}), ['RT-GET-item', 'RT-POST-item', 'UI-login']);
  t.same(select({ scenarios: ['UI-login'] }), ['UI-login']);
  t.same(select({ scenarios: ['RT-*'] }), ['RT-GET-item', 'RT-POST-item']);
  t.same(select({ scenarios: ['*-item', 'RT-*-item'], tags: ['slow'] }), ['RT-GET-item', 'RT-POST-item']);
  t.same(select({ scenarios: ['*POST*'] }), ['RT-POST-item']);
  t.same(select({ scenarios: ['RT-GET-item*item'] }), [], 'parts do not overlap');
  t.same(select({ tags: ['smoke', 'none'] }), ['RT-GET-item']);
  t.same(select({ scenarios: ['other'] }), []);
});

t.test('a pattern of many stars is judged in linear time', async (t) => {
  const text = 'a'.repeat(100);
  t.same(selectScenarios([{ scenario_id: text, tags: [] }], { scenarios: [`${'*a'.repeat(40)}*b`] }), []);
});
