import type { Page } from 'playwright-core';
import { findSeriousViolations } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { findProblemsAsDisplayed, saveScreenshot } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForCount, waitForText, waitForValue } from './wait-for.ts';

const runs = `/instances/${instance}/runs`;

const readQuery = (page: Page): string => new URL(page.url()).search;

async function runBoth(page: Page): Promise<void> {
  const scenarios = ['RT-COUNT', 'RT-MORE'].map((id) => ({ id }));
  await callApi(page, 'POST', `/instances/${instance}/runs`, { scenarios });
  await page.locator('.run-row.is-passed').waitFor();
  await page.locator('.run-row.is-failed').waitFor();
}

browserTest(
  'a view of runs is saved, opened by its address and the palette, updated and deleted',
  async (t, { owner }) => {
    const page = await owner();
    await runBoth(page);
    const views = page.getByRole('navigation', { name: 'Views' });
    await waitForValue(
      t,
      () => page.getByRole('button', { name: 'Save view…' }).isDisabled(),
      true,
      'nothing is filtered',
    );
    await page.keyboard.press('/');
    await page.keyboard.type('tag:smoke "EQUALS 4"');
    await page.locator('.run-row.is-passed').waitFor({ state: 'detached' });
    await page.locator('h1').click();
    await page.keyboard.press('v');
    const dialog = page.getByRole('dialog', { name: 'Save view of runs' });
    await dialog.waitFor();
    await waitForText(t, dialog.locator('.view-filters'), /find\s+tag:smoke "EQUALS 4"/);
    await waitForValue(t, () => dialog.getByRole('radio', { name: /Shared/ }).isChecked(), true);
    t.same(await findSeriousViolations(page), []);
    await saveScreenshot(page, 'save view dialog');
    await page.keyboard.type('Count is wrong');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const link = views.getByRole('link', { name: 'Count is wrong' });
    await link.waitFor();
    await waitForValue(t, () => link.getAttribute('aria-current'), 'page');
    t.match(readQuery(page), /^\?view=[0-9a-f]{16}$/, 'its permanent address has no filters');
    const address = page.url();
    t.same(await findProblemsAsDisplayed(page), []);

    await page.getByRole('button', { name: 'failed', exact: true }).click();
    await views.getByRole('link', { name: 'Count is wrong changed' }).waitFor();
    t.match(readQuery(page), /view=[0-9a-f]{16}&find=.*&result=failed/);
    t.same(await findProblemsAsDisplayed(page), []);
    await page.goBack();
    await page.getByRole('button', { name: 'Edit view…' }).waitFor();
    await page.goForward();
    await page.getByRole('button', { name: 'Update “Count is wrong”' }).click();
    await page.getByRole('button', { name: 'Edit view…' }).waitFor();
    await waitForValue(t, () => page.url(), address, 'the address stays, and selects the new filters');

    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('count is wrong');
    await page.getByRole('option', { name: `Count is wrong: runs of ${instance} View` }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.run-row.is-failed').waitFor();
    await waitForValue(t, () => page.url(), address);
    await waitForValue(
      t,
      () => page.getByRole('button', { name: 'failed', exact: true }).getAttribute('aria-pressed'),
      'true',
    );
    await waitForCount(t, page.locator('.run-row'), 1);

    await page.getByRole('button', { name: 'Edit view…' }).click();
    const editor = page.getByRole('dialog', { name: 'View Count is wrong' });
    await editor.waitFor();
    t.same(await findSeriousViolations(page), []);
    await saveScreenshot(page, 'edit view dialog');
    await editor.getByLabel('Name').fill('Wrong counts');
    await page.keyboard.press('Enter');
    await editor.waitFor({ state: 'detached' });
    await views.getByRole('link', { name: 'Wrong counts' }).waitFor();
    await waitForValue(t, () => page.url(), address);
    await page.getByRole('button', { name: 'Edit view…' }).click();
    await page.getByRole('button', { name: 'Delete view' }).click();
    await page.locator('.run-row.is-passed').waitFor();
    await waitForCount(t, views.getByRole('link', { name: 'Wrong counts' }), 0);
    await page.goto(address);
    await page.getByRole('heading', { name: 'This view is not here' }).waitFor();
    await waitForCount(t, page.locator('.run-row'), 0, 'another list is not shown in its place');
    t.same(await findProblemsAsDisplayed(page), []);
    await page.getByRole('link', { name: 'Show all runs' }).click();
    await page.locator('.run-row.is-passed').waitFor();
  },
);

browserTest('scenarios have views of their own, and a personal one is seen by its person only', async (t, context) => {
  const page = await context.owner();
  const save = (body: object) => callApi(page, 'POST', `/instances/${instance}/views`, body);
  const slow = { page: 'scenarios', name: 'Slow', filters: { find: 'slow' } };
  await save(slow);
  await save({ page: 'runs', name: 'Of runs', filters: { result: 'failed' } });
  await page.goto(`/instances/${instance}/scenarios`);
  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: 'Slow' }).click();
  await page.getByText('1 scenario', { exact: true }).waitFor();
  await waitForCount(t, views.getByRole('link', { name: 'Of runs' }), 0);
  await waitForValue(t, () => page.getByRole('searchbox', { name: 'Find scenarios' }).inputValue(), 'slow');
  await page.getByRole('button', { name: 'Deleted' }).click();
  await page.getByRole('button', { name: 'Save as new view…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save view of scenarios' });
  await dialog.getByLabel('Name').fill('Slow');
  await dialog.getByRole('radio', { name: /Personal/ }).check();
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('VIEW_NAME_TAKEN').waitFor();
  await dialog.getByLabel('Name').fill('Slow and gone');
  await page.keyboard.press('Enter');
  await views.getByRole('link', { name: 'Slow and gone personal' }).waitFor();
  const address = page.url();
  t.same(await findProblemsAsDisplayed(page), []);

  const invitation = await callApi<{ url: string }>(page, 'POST', '/invitations', { role: 'viewer' });
  const other = await context.openPage();
  await other.goto(invitation.url);
  await other.getByLabel('Your name').fill('Vera');
  await other.getByLabel('Email').fill('vera@example.com');
  await other.getByLabel('Password').fill('nine quiet lanterns row');
  await other.getByRole('button', { name: /Create|Accept|Join/ }).click();
  await other.getByRole('heading', { name: 'Overview' }).waitFor();
  await other.goto(address);
  await other.getByRole('heading', { name: 'This view is not here' }).waitFor();
  const hers = other.getByRole('navigation', { name: 'Views' });
  await waitForCount(t, hers.getByRole('link'), 2, 'all, and the shared one');
  await waitForCount(t, other.getByRole('button', { name: /view…/ }), 0, 'a viewer changes none');
  await other.goto(runs);
  await hers.getByRole('link', { name: 'Of runs' }).waitFor();
});
