/** Budgets in the console: set in the form of the policy, used up by calls, displayed with the usage. */
import { findBlankParts, findSeriousViolations, findUnreachableControls, measureOverflow } from './accessibility.ts';
import { browserTest } from './browser-test.ts';
import { addConnection, allowPrivateUpstreams, callHub, clipboard, createHub, createToken } from './hub-steps.ts';
import { startWeatherServer } from './weather-server.ts';

browserTest(
  'a budget is set in the form, used up by calls, and displayed with the time of its reset',
  async (t, fixture) => {
    const page = await fixture.owner(clipboard);
    await createHub(page, 'acme');
    await addConnection(page, (await startWeatherServer(t)).url, 'weather');
    await page.goto('/hubs/acme/tokens');
    const token = await createToken(page, 'agent');
    const call = (): Promise<string> =>
      callHub(fixture.url, token, 'tools/call', { name: 'weather__forecast', arguments: { city: 'Porto' } });
    t.match(await call(), /dry/);
    await page.goto('/hubs/acme/policy');
    await page.getByRole('button', { name: 'Add budget' }).focus();
    await page.keyboard.press('Enter');
    const budget = page.getByRole('group', { name: 'Budget 1' });
    await budget.getByLabel('Calls').fill('');
    await page.getByRole('button', { name: 'Add budget' }).scrollIntoViewIfNeeded();
    t.same(await findSeriousViolations(page), []);
    t.same(await findUnreachableControls(page), []);
    await budget.getByLabel('Tools').fill('weather__*');
    await budget.getByLabel('Calls').fill('3');
    await page.getByRole('button', { name: 'Apply policy' }).click();
    await page.getByText('Revision 1, by Ana Lopes').waitFor();
    t.match(await call(), /dry/);
    t.match(await call(), /dry/);
    t.match(await call(), /HUB_BUDGET_USED_UP/);
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.goto('/hubs/acme/usage');
        const row = page.getByRole('region', { name: 'Budgets' }).getByRole('row', { name: /Ana Lopes/ });
        await row.getByText('3 of 3 calls (100 %)').waitFor();
        await row.getByText('used up').waitFor();
        t.same(await findSeriousViolations(page), [], `${colorScheme} ${width}`);
        t.same(await findBlankParts(page), []);
        t.same(await findUnreachableControls(page), []);
        t.ok((await measureOverflow(page)) <= 0, `${colorScheme} ${width}: wide enough`);
      }
  },
  allowPrivateUpstreams,
);
