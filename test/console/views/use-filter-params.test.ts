import t from 'tap';
import { buildSearch, selectFilters, toSearchParams } from '../../../src/console/views/use-filter-params.ts';
import type { SavedView } from '../../../src/contract/views-api.ts';

const view: SavedView = {
  ...{ view_id: 'abc', instance: 'shop', page: 'runs', name: 'Smoke', shared: true },
  filters: { since: '24h', find: 'tag:smoke' },
  ...{ created_at: '2026-11-20T12:00:00.000Z', created_by: 'Ana' },
  ...{ updated_at: '2026-11-20T12:00:00.000Z', updated_by: 'Ana' },
};
const parse = (text: string) => new URLSearchParams(text);

t.test('filters are those of the page, in its order, without empty ones', async (t) => {
  const search = parse('since=24h&view=abc&deleted=true&find=tag%3Asmoke&scenario=&other=1');
  t.equal(selectFilters('runs', search).toString(), 'find=tag%3Asmoke&since=24h');
  t.equal(selectFilters('scenarios', search).toString(), 'find=tag%3Asmoke&deleted=true');
  t.equal(toSearchParams(view).toString(), 'find=tag%3Asmoke&since=24h');
});

t.test('the address is the view alone, the view with changed filters, or none without filters', async (t) => {
  const build = (text: string, of?: SavedView) => buildSearch(selectFilters('runs', parse(text)), of).toString();
  t.equal(build('since=24h&find=tag:smoke', view), 'view=abc');
  t.equal(build('find=tag:smoke', view), 'view=abc&find=tag%3Asmoke');
  t.equal(build('', view), '', 'the view would show its filters again');
  t.equal(build('find=tag:smoke'), 'find=tag%3Asmoke');
});
