import { createElement } from 'react';
import t from 'tap';
import { listPaletteEntries } from '../../../src/console/palette/palette-entries.ts';
import { instancePages } from '../../../src/console/shell/instance-pages.ts';
import { renderConsole } from '../render-console.ts';
import { createTestHub, createTestInstance } from '../test-records.ts';

const responses = {
  'GET /api/v1/instances': { items: [createTestInstance('shop'), createTestInstance('bank')], next_cursor: null },
  'GET /api/v1/hubs': { items: [createTestHub('acme', 'Acme Engineering')], next_cursor: null },
};

const renderRail = (t: Parameters<typeof renderConsole>[0], path: string, given: object = responses) =>
  renderConsole(t, path, { ...given }, async () => {
    const { Rail } = await import('../../../src/console/shell/rail.tsx');
    return createElement(Rail, { onOpenHelp: () => {}, onOpenPalette: () => {} });
  });

t.test('the rail has the hub picker first, then Verify, Hub with its pages, and Settings', async (t) => {
  const { container, until } = await renderRail(t, '/instances/bank/runs');
  await until(() => container.querySelectorAll('select').length === 2);
  const links = [...container.querySelectorAll('nav a.rail-link')].map((link) => link.textContent);
  t.same(links, [
    ...['Overview', 'Needs a look', 'Runs', 'Suites', 'Scenarios', 'Schedules', 'Environments'],
    ...['Connections', 'Tools', 'Approvals', 'Policy', 'Members', 'API Tokens', 'Audit'],
  ]);
  const [hub, environment] = container.querySelectorAll('select');
  t.equal(hub?.labels[0]?.textContent, 'Hub');
  t.equal(environment?.labels[0]?.textContent, 'Environment');
  t.equal(environment?.value, 'bank');
  t.equal(container.querySelector('[aria-current=page]')?.textContent, 'Runs');
  t.equal(container.querySelector('.manage')?.getAttribute('href'), '/hubs/acme/tokens');
  t.equal(container.querySelector('.rail-foot a.rail-link')?.textContent, 'Settings');
  t.match(container.querySelector('.menu-body')?.textContent, /People.*Your account.*Sign out/);
});

t.test('the palette has every page of the rail, and no two pages have one key', async (t) => {
  const { container, until } = await renderRail(t, '/instances/bank/runs');
  await until(() => container.querySelectorAll('select').length === 2);
  const paths = listPaletteEntries([{ instance_id: 'bank' }], 'bank', [], [{ slug: 'acme' }]).map(({ path }) => path);
  const links = [...container.querySelectorAll('nav a.rail-link')].map((link) => link.getAttribute('href'));
  t.same(
    links.filter((link) => link === null || !paths.includes(link)),
    [],
  );
  const keys = [...instancePages.map(({ key }) => key), 'o', 'e', 'p', 'h'];
  t.equal(new Set(keys).size, keys.length);
});

t.test('a page below a listed one marks the listed one', async (t) => {
  const { container, until } = await renderRail(t, '/hubs/acme/connect');
  await until(() => container.querySelector('.manage') !== null);
  t.equal(container.querySelector('.rail-link[aria-current=true]')?.textContent, 'API Tokens');
});

t.test('without a hub the group leads to the hubs', async (t) => {
  const { container, until } = await renderRail(t, '/', {
    ...responses,
    'GET /api/v1/hubs': { items: [], next_cursor: null },
  });
  await until(() => container.querySelectorAll('nav a.rail-link').length === 8);
  t.equal([...container.querySelectorAll('nav a.rail-link')].at(-1)?.textContent, 'Hubs');
});
