import t from 'tap';
import { filterFrom, isFiltered, wantedOf } from '../../../src/console/runs/filter.ts';

const nowMs = Date.parse('2026-11-20T14:30:12.345Z');
const from = (query: string) => filterFrom('shop', new URLSearchParams(query));

t.test('the address says what is shown', async (t) => {
  t.same(from('result=failed&scenario=RT-A&since=24h'), {
    instance: 'shop',
    result: 'failed',
    scenario: 'RT-A',
    span: '24h',
  });
  t.ok(isFiltered(from('since=1h')));
  t.notOk(isFiltered(from('')));
});

t.test('what an address says wrongly is no filter', async (t) => {
  t.notOk(isFiltered(from('result=lost&since=toString')));
});

t.test('the API is asked for the same', async (t) => {
  t.match(wantedOf(from('result=failed&since=1h'), nowMs), {
    instance: 'shop',
    states: ['failed'],
    judged: true,
    since: '2026-11-20T13:30:12.345Z',
  });
  t.match(wantedOf(from('result=broken'), nowMs), { states: ['failed'], judged: false });
  t.notOk('states' in wantedOf(from(''), nowMs));
});
