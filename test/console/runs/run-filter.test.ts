import t from 'tap';
import { isFiltered, matchesFilter, parseRunFilter, toListParams } from '../../../src/console/runs/run-filter.ts';
import type { Run } from '../../../src/contract/api.ts';
import { createTestRun } from '../test-run.ts';

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
  t.match(toListParams(parseQuery(''), nowMs), { states: ['passed', 'failed', 'cancelled'] });
  t.match(toListParams(parseQuery('result=queued'), nowMs), { states: ['queued'] });
  t.match(toListParams(parseQuery('result=running'), nowMs), { states: ['in_progress'] });
});

t.test('what was typed becomes a search', async (t) => {
  const search = (find: string) => {
    const { instance, states, ...rest } = toListParams(parseQuery(new URLSearchParams({ find }).toString()), nowMs);
    return rest;
  };
  t.same(search('tag:smoke owner:"Checkout team" version:2.4 path:orders refused "got 503"'), {
    tag: ['smoke'],
    owner: 'Checkout team',
    target_version: '2.4',
    path: '/orders',
    text: ['refused', 'got 503'],
  });
  t.same(search('  branch:main commit:4f2c schedule:hourly failure:3f9a1c0b7d2e4f58 tag:a tag:b'), {
    ...{ branch: 'main', commit: '4f2c', schedule: 'hourly', failure: '3f9a1c0b7d2e4f58', tag: ['a', 'b'] },
  });
  t.same(search('http://shop/x note:7 /orders'), { text: ['http://shop/x', 'note:7', '/orders'] });
  t.same(search('tag: owner:"" "'), {}, 'what is not complete yet is left out');
  t.same(search('failure:none version:é "open end'), { text: ['failure:none', 'version:é', 'open end'] });
  t.same(search('a b c d e f g h i j').text, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 'as many as there may be');
  t.same(search('   '), {});
  t.ok(isFiltered(parseQuery('find=x')));
});

t.test('today is the calendar day of the reader, not the last 24 hours', async (t) => {
  const noonMs = new Date(2026, 10, 20, 12).getTime();
  const { since } = toListParams(parseQuery('since=today'), noonMs);
  t.equal(Date.parse(since ?? ''), new Date(2026, 10, 20).getTime());
});

t.test('a run belongs to the list of its state', async (t) => {
  const matching = (state: Run['state']) =>
    (['', 'result=failed', 'result=running', 'result=queued'] as const).filter((query) =>
      matchesFilter(createTestRun(1, { state }), parseQuery(query)),
    );
  t.same(matching('queued'), ['result=queued']);
  t.same(matching('in_progress'), ['result=running']);
  t.same(matching('passed'), ['']);
  t.same(matching('failed'), ['', 'result=failed']);
});
