import t from 'tap';
import { findAppearanceProblems, findProblemsAsDisplayed } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';

browserTest('a failure is found on the landing page, resolved, and comes back', async (t, { owner, testTarget }) => {
  const page = await owner();
  const run = async (): Promise<void> => {
    await page.goto(`/instances/${instance}/scenarios/RT-COUNT`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('heading', { name: /^RT-COUNT (failed|passed)$/ }).waitFor();
  };
  await page.goto(`/instances/${instance}`);
  await page.getByText('No results yet').waitFor();
  await run();
  await page.getByRole('link', { name: 'Needs a look' }).click();
  await page.getByText('Nothing fails.').waitFor();
  testTarget.count = 2;
  await run();
  await page.getByRole('link', { name: 'All runs that fail like this' }).click();
  await page.getByRole('heading', { name: 'RT-COUNT', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Assign to me' }).click();
  await page.getByRole('definition').filter({ hasText: 'Ana Lopes' }).waitFor();
  await page.getByRole('button', { name: 'Assign and note…' }).click();
  await page.getByLabel('Note').fill('the second document is missing');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('the second document is missing').waitFor();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByRole('button', { name: 'Open again' }).waitFor();
  await page.getByRole('link', { name: '‹ What needs a look' }).click();
  await page.getByText(/No open failure/).waitFor();
  testTarget.count = 1;
  await run();
  await page.getByRole('link', { name: 'Needs a look' }).click();
  const row = page.getByRole('row', { name: /RT-COUNT/ });
  await row.getByText('failing again').waitFor();
  t.match(await row.innerText(), /got 1[\s\S]*2[\s\S]*Ana Lopes/);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Versions of the target' }).waitFor();
  const failure = page.url();
  t.same(await findAppearanceProblems(page, failure, '.failure-facts'), []);
  t.same(await findAppearanceProblems(page, `/instances/${instance}`, '[data-row]'), []);
  await page.getByRole('button', { name: 'open', exact: true }).click();
  await page.getByRole('row', { name: /RT-COUNT/ }).waitFor();
  t.same(await findProblemsAsDisplayed(page), [], 'open failures');
});

t.setTimeout(340_000);
