import type { Page } from 'playwright-core';
import { eventually } from '../eventually.ts';
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { appearances, findAppearanceProblems, findProblemsAsDisplayed, saveScreenshot } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForText, waitForTexts } from './wait-for.ts';

/** Tab stays in a dialog, so that only what is displayed is looked at. */
async function findDialogProblems(page: Page, picture: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, colorScheme, viewport } of appearances) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await saveScreenshot(page, `status page ${picture} ${name}`);
    if ((await measureOverflow(page)) > 0) problems.push(`${name}: wider than the window`);
    problems.push(...(await findSeriousViolations(page)).map((violation) => `${name}: ${violation}`));
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  return problems;
}

browserTest('a status page is made public, read without an account, extended and revoked', async (t, context) => {
  const { owner, openPage, testTarget } = context;
  const page = await owner();
  await page.goto('/settings/environments');
  await page.getByRole('link', { name: 'Status pages' }).click();
  await page.getByText('Nothing is public').waitFor();
  t.same(await findAppearanceProblems(page, `/instances/${instance}/status-pages`, '.empty'), []);
  await page.getByRole('button', { name: 'Create status page…' }).click();
  await page.getByLabel('Title').fill('Shop <checkout>');
  await page.getByText('Everybody with the link can read:').waitFor();
  t.same(await findDialogProblems(page, 'form'), []);
  await page.getByRole('button', { name: 'Make public' }).click();
  await page.getByText('The links are shown only once.').waitFor();
  await waitForTexts(t, page.locator('.secret code'), [
    /\/status\/[\w-]{43}$/,
    /\/badge\.svg$/,
    /^\[!\[Shop <checkout>\]\(http.*svg\)\]\(http/,
  ]);
  const links = await page.locator('.secret code').allInnerTexts();
  t.same(await findDialogProblems(page, 'links'), []);
  await page.getByLabel('I have copied them').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /Shop <checkout>/ }).waitFor();

  testTarget.count = 4;
  const scenarios = [{ id: 'RT-COUNT' }, { id: 'RT-MORE' }];
  await callApi(page, 'POST', `/instances/${instance}/runs`, { scenarios });
  await page.goto(`/instances/${instance}/runs`);
  await page.getByRole('link', { name: 'RT-MORE' }).first().waitFor();
  await page.locator('.is-queued, .is-running').first().waitFor({ state: 'detached' });

  const link = new URL(links[0] ?? '').pathname;
  const reader = await openPage();
  const readUntil = (text: string) =>
    eventually(
      async () => {
        await reader.goto(link);
        return (await reader.locator('main').innerText()).includes(text);
      },
      { description: `the page says ${text}` },
    );
  await readUntil('Something fails');
  await waitForText(t, reader.locator('main'), /another response than expected/);
  t.notMatch(await reader.content(), new RegExp(`RT-COUNT|${instance}"|/api/|<script`));
  t.same(await findProblemsAsDisplayed(reader), [], 'the public page');
  const other = await openPage();
  await other.setContent(`<img src="${links[1]}" alt="badge">`);
  const isDisplayed = () => other.evaluate(() => (document.querySelector('img')?.naturalWidth ?? 0) > 100);
  t.ok(await eventually(isDisplayed, { description: 'the badge on the page of another site' }));
  await saveScreenshot(other, 'badge');

  await page.goto(`/instances/${instance}/status-pages`);
  t.same(await findAppearanceProblems(page, `/instances/${instance}/status-pages`, 'tbody tr'), [], 'the list');
  await page.getByRole('button', { name: 'Extend Shop <checkout>' }).click();
  const inTwoWeeks = new Date(Date.now() + 14 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('Until the end of').fill(inTwoWeeks);
  await page.getByRole('button', { name: 'Extend', exact: true }).click();
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(inTwoWeeks));
  await page.getByRole('row', { name: /Shop/ }).getByText(day).waitFor();
  await page.getByRole('button', { name: 'Revoke Shop <checkout>' }).click();
  await page.getByLabel('Type Shop <checkout> to confirm').fill('Shop <checkout>');
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('Nothing is public').waitFor();
  // The one who has read it may see it from the cache of the browser for ten seconds.
  const later = await openPage();
  t.equal((await later.goto(link))?.status(), 404);
  await later.getByText('There is no status page here').waitFor();
  t.same(await findProblemsAsDisplayed(later), [], 'the page of a revoked one');
});
