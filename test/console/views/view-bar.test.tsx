import t, { type Test } from 'tap';
import { startConsoleTestPlane } from '../render-with-control-plane.ts';

async function startViews(t: Test) {
  const setup = await startConsoleTestPlane(t);
  const view = await setup.vp.views.create('shop', {
    ...{ page: 'runs', name: 'Smoke', shared: true },
    filters: { find: 'tag:smoke' },
  });
  const open = (path: string) =>
    setup.render(t, path, async () => {
      const { ViewBar, MissingView } = await import('../../../src/console/views/view-bar.tsx');
      const { clearFilters, useFilterParams } = await import('../../../src/console/views/use-filter-params.ts');
      const Page = () => {
        const params = useFilterParams('shop', 'runs');
        if (params.state !== 'ready') return params.state === 'loading' ? null : <MissingView params={params} />;
        return (
          <>
            <ViewBar params={params} />
            <p id="filters">{params.filters.toString()}</p>
            <button type="button" onClick={() => params.change((filters) => filters.set('since', '24h'))}>
              Today
            </button>
            <button type="button" onClick={() => params.change(clearFilters)}>
              No filters
            </button>
          </>
        );
      };
      return <Page />;
    });
  return { ...setup, view, open };
}

const filtersOf = (container: Element) => container.querySelector('#filters')?.textContent;

t.test('a view of the address shows its filters; changed ones stand beside it and update it', async (t) => {
  const { vp, view, open } = await startViews(t);
  const { container, until, click, button } = await open(`/instances/shop/runs?view=${view.view_id}`);
  await until(() => container.querySelector('#filters') !== null);
  t.equal(filtersOf(container), 'find=tag%3Asmoke');
  t.equal(container.querySelector('[aria-current=page]')?.textContent, 'Smoke');
  await click(button('Today'));
  t.equal(filtersOf(container), 'find=tag%3Asmoke&since=24h');
  t.match(location.search, `view=${view.view_id}`);
  t.match(container.querySelector('[aria-current=true]')?.textContent, 'Smoke changed');
  await click(button('Update “Smoke”'));
  await until(() => location.search === `?view=${view.view_id}`);
  const [stored] = await vp.views.list('shop');
  t.same(stored?.filters, { find: 'tag:smoke', since: '24h' });
  t.equal(filtersOf(container), 'find=tag%3Asmoke&since=24h');
});

t.test('without filters the address names no view, and there is nothing to save', async (t) => {
  const { view, open } = await startViews(t);
  const { container, until, click, button, press } = await open(`/instances/shop/runs?view=${view.view_id}`);
  await until(() => container.querySelector('#filters') !== null);
  await click(button('No filters'));
  await until(() => filtersOf(container) === '');
  t.equal(location.search, '');
  t.equal(button('Save view…').disabled, true);
  await press('v');
  t.notOk(container.querySelector('dialog'));
});

t.test('filters become a view with v, which is opened; a name that is taken is refused in the dialog', async (t) => {
  const { vp, open } = await startViews(t);
  const { container, until, press, type, click, button } = await open('/instances/shop/runs?since=7d&result=failed');
  await until(() => container.querySelector('[aria-label=Views] a:nth-child(2)') !== null);
  await press('v');
  await type('Name', 'Smoke');
  await click(button('Save view'));
  await until(() => container.querySelector('dialog [role=alert]') !== null);
  t.match(container.querySelector('dialog [role=alert]')?.textContent, /Smoke/);
  await type('Name', 'Red week');
  await click(button('Save view'));
  await until(() => location.search.startsWith('?view='));
  t.notOk(container.querySelector('dialog'));
  const stored = (await vp.views.list('shop')).find(({ name }) => name === 'Red week');
  t.same(stored?.filters, { result: 'failed', since: '7d' });
  t.equal(location.search, `?view=${stored?.view_id}`);
  t.equal(container.querySelector('[aria-current=page]')?.textContent, 'Red week');
});

t.test('a view is renamed and deleted; its old address says that it is not here', async (t) => {
  const { vp, view, open } = await startViews(t);
  const { container, until, click, button, type } = await open(`/instances/shop/runs?view=${view.view_id}`);
  await until(() => container.querySelector('#filters') !== null);
  await click(button('Edit view…'));
  t.equal(button('Rename').disabled, true, 'the name is the same');
  await type('Name', 'Smoke tests');
  await click(button('Rename'));
  await until(() => container.querySelector('[aria-current=page]')?.textContent === 'Smoke tests');
  await click(button('Edit view…'));
  await click(button('Delete view'));
  await until(() => location.search === '');
  t.same(await vp.views.list('shop'), []);
  const old = await open(`/instances/shop/runs?view=${view.view_id}`);
  await old.until(() => old.container.querySelector('h2') !== null);
  t.match(old.container.textContent, /This view is not here/);
});
