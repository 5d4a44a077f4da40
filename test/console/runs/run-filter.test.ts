import t from 'tap';
import { isFiltered, parseRunFilter, toListParams } from '../../../src/console/runs/run-filter.ts';

const nowMs = Date.parse('2026-11-20T14:30:12.345Z');
const parseQuery = (query: string) => parseRunFilter('shop', new URLSearchParams(query));

t.test('the filter is read from the address', async (t) => {
  t.same(parseQuery('result=failed&scenario=RT-A&since=24h'), {
    instance: 'shop',
    result: 'failed',
    scenario: 'RT-A',
    span: '24h',
  });
  t.ok(isFiltered(parseQuery('since=1h')));
  t.notOk(isFiltered(parseQuery('')));
});

t.test('invalid values in the address are ignored', async (t) => {
  t.notOk(isFiltered(parseQuery('result=lost&since=toString')));
});

t.test('the filter is converted to API parameters', async (t) => {
  t.match(toListParams(parseQuery('result=failed&since=1h'), nowMs), {
    instance: 'shop',
    states: ['failed'],
    judged: true,
    since: '2026-11-20T13:30:12.345Z',
  });
  t.match(toListParams(parseQuery('result=broken'), nowMs), { states: ['failed'], judged: false });
  t.notOk('states' in toListParams(parseQuery(''), nowMs));
});
