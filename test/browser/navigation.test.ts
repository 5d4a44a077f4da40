import { findSeriousViolations } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForCondition, waitForValue } from './wait-for.ts';

browserTest(
  'the places of the specification: hub picker top-left, Manage → API Tokens, Settings → Environments',
  async (t, { owner }) => {
    const page = await owner();
    await callApi(page, 'POST', '/hubs', { slug: 'acme', name: 'Acme Engineering' });
    await page.reload();
    await page.getByRole('link', { name: 'Manage' }).waitFor();
    const isTopLeft = async (): Promise<boolean> => {
      const { x = 999, y = 999 } = (await page.getByLabel('Hub', { exact: true }).boundingBox()) ?? {};
      return x < 250 && y < 120;
    };
    await waitForCondition(t, isTopLeft, 'the hub picker is at the top left');
    await page.getByRole('link', { name: 'Manage' }).click();
    // Once the page is there, it has a second link to itself.
    await page.getByRole('navigation', { name: 'Manage' }).getByRole('link', { name: 'API Tokens' }).click();
    await page.getByRole('heading', { name: 'API Tokens Acme Engineering' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Environments' }).click();
    await page.getByRole('heading', { name: 'Environments' }).waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.waitForURL(`**/instances/${instance}/runs`);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('First steps').waitFor();
  },
);

browserTest('on a narrow screen the rail is a drawer, usable by keyboard only', async (t, { owner }) => {
  const page = await owner({ viewport: { width: 390, height: 844 } });
  const menu = page.getByRole('button', { name: 'Menu' });
  const drawer = page.getByRole('dialog', { name: 'Menu' });
  await menu.focus();
  await page.keyboard.press('Enter');
  await drawer.waitFor();
  t.same(await findSeriousViolations(page), []);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await waitForCondition(
    t,
    () => menu.evaluate((button) => button === document.activeElement),
    'the menu has the focus again',
  );
  await page.keyboard.press('Enter');
  await drawer.getByRole('link', { name: 'Scenarios' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/instances/${instance}/scenarios`);
  await drawer.waitFor({ state: 'detached' });
});

browserTest('an unknown address is a page in a browser and JSON for a program', async (t, { owner, url }) => {
  const page = await owner();
  const response = await page.goto('/nowhere/at/all');
  t.equal(response?.status(), 404);
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  t.match(await (await fetch(`${url}/nowhere/at/all`)).json(), { code: 'ROUTE_UNKNOWN' });
});

browserTest('letters typed right after Ctrl-K arrive, and a part of a run id finds the run', async (t, { owner }) => {
  const page = await owner();
  const [run] = (
    await callApi<{ runs: { run_id: string }[] }>(page, 'POST', `/instances/${instance}/runs`, {
      scenarios: [{ id: 'RT-COUNT' }],
    })
  ).runs;
  await page.reload();
  await page.locator('.run-row').waitFor();
  const field = page.getByRole('combobox', { name: 'Run id, scenario, view, environment or page' });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('environments');
  await waitForValue(t, () => field.inputValue(), 'environments');
  await field.fill(run?.run_id.slice(0, 13) ?? '');
  await page.getByRole('option', { name: `Run ${run?.run_id} RT-COUNT` }).click();
  await page.waitForURL(`**/runs/${run?.run_id}`);
});

browserTest('Ctrl-K before the console is loaded opens the palette with what was typed', async (t, { owner }) => {
  const page = await owner();
  const typing = Promise.withResolvers<void>();
  await page.route('**/assets/main-*.js', async (route) => {
    await typing.promise;
    await route.continue();
  });
  await page.goto('/', { waitUntil: 'commit' });
  await page.waitForFunction(() => globalThis.vpEarlyKeys !== undefined);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('settings x');
  await page.keyboard.press('Backspace');
  typing.resolve();
  const field = page.getByRole('combobox', { name: 'Run id, scenario, view, environment or page' });
  await field.waitFor();
  await waitForValue(t, () => field.inputValue(), 'settings ');
  await page.keyboard.type('- people');
  await waitForValue(t, () => field.inputValue(), 'settings - people', 'the next letters go on where it stopped');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await waitForValue(t, () => field.inputValue(), '', 'only once');
});

browserTest('the palette stays where it is while results change', async (t, { owner }) => {
  const page = await owner();
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog');
  const field = page.getByRole('combobox', { name: 'Run id, scenario, view, environment or page' });
  await dialog.getByRole('option').first().waitFor();
  const before = await dialog.boundingBox();
  for (const query of ['nothing has this name', 'rt', '']) {
    await field.fill(query);
    const isEmpty = query.startsWith('nothing');
    if (isEmpty) await dialog.getByText('No results.').waitFor();
    else await dialog.getByRole('option').first().waitFor();
    await waitForValue(t, () => dialog.boundingBox(), before, query);
  }
});
