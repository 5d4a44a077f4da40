import { readFileSync } from 'node:fs';
import { createElement } from 'react';
import t from 'tap';
import { listPaletteEntries } from '../../../src/console/palette/palette-entries.ts';
import { findInstancePage, getLinkState, instancePages } from '../../../src/console/shell/instance-pages.ts';
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

t.test(
  'switching the environment keeps the page, or leads to the page above what only the other one has',
  async (t) => {
    const switchFrom = (path: string): string | undefined => findInstancePage(path, 'bank')?.toPath('shop');
    for (const { toPath } of instancePages) t.equal(switchFrom(toPath('bank')), toPath('shop'));
    for (const [path, page] of [
      ['/instances/bank/failures/7', '/instances/shop'],
      ['/instances/bank/scenarios/RT-1', '/instances/shop/scenarios'],
      ['/instances/bank/suites/4', '/instances/shop/suites'],
      ['/runs/9', '/instances/shop/runs'],
      ['/settings/people', undefined],
      ['/', undefined],
    ] as const)
      t.equal(switchFrom(path), page, path);
  },
);

t.test('one link is marked for each page of an environment, and none for other pages', async (t) => {
  const listMarks = (path: string): readonly string[] =>
    instancePages.flatMap((page) => {
      const state = getLinkState(page, path, 'bank');
      return page.linkText === undefined || state === undefined ? [] : [`${page.linkText} ${state}`];
    });
  for (const [path, marks] of [
    ['/instances/bank', ['Needs a look page']],
    ['/instances/bank/failures/7', ['Needs a look true']],
    ['/instances/bank/compare', ['Needs a look true']],
    ['/instances/bank/health', ['Needs a look true']],
    ['/instances/bank/runs', ['Runs page']],
    ['/runs/9', ['Runs true']],
    ['/instances/bank/suites/4', ['Suites true']],
    ['/instances/bank/scenarios/RT-1', ['Scenarios true']],
    ['/instances/bank/coverage', ['Scenarios true']],
    ['/instances/bank/schedules', ['Schedules page']],
    ['/instances/bank/status-pages', []],
    ['/settings/environments', []],
  ] as const)
    t.same(listMarks(path), marks, path);
});

t.test('each page of an environment has a route', async (t) => {
  const app = readFileSync('src/console/app.tsx', 'utf8');
  const routes = instancePages.map(({ toPath }) => decodeURIComponent(toPath(':instance')));
  t.same(
    routes.filter((route) => !app.includes(`<Route path="${route}">`)),
    [],
  );
});
