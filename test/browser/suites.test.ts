import { findAppearanceProblems, findProblemsAsDisplayed } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForValue } from './wait-for.ts';

browserTest('a suite has a page, and what did not pass in it runs again', async (t, { owner, testTarget }) => {
  const page = await owner();
  await page.getByRole('link', { name: 'Suites', exact: true }).click();
  await page.getByRole('heading', { name: 'No suites' }).waitFor();
  t.same(await findAppearanceProblems(page, `/instances/${instance}/suites`, '.empty'), []);
  await page.goto(`/instances/${instance}/runs`);
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  await page.locator('.run-row.is-failed').waitFor();
  await page.getByRole('link', { name: 'Suites', exact: true }).click();
  await page.getByRole('row', { name: /2 scenarios failed 1 failed, 1 passed/ }).waitFor();
  t.same(await findProblemsAsDisplayed(page), [], 'the list of suites');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /2 scenarios failed/ }).waitFor();
  const suite = page.url();
  await page.getByRole('table', { name: 'Did not pass' }).getByRole('link').first().click();
  await page.getByRole('link', { name: 'Suite', exact: true }).click();
  await page.getByRole('heading', { name: 'Did not pass' }).waitFor();
  await waitForValue(t, () => page.url(), suite);
  t.same(await findAppearanceProblems(page, suite, '.run-row.is-passed'), []);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'JUnit file' }).click(),
  ]);
  t.match(download.suggestedFilename(), /^s\d{8}T\d{9}\.xml$/);
  testTarget.count = 4;
  await page.getByRole('button', { name: 'Run again what did not pass (1)' }).click();
  await page.waitForURL((url) => url.href !== suite);
  await page.getByRole('heading', { name: /1 scenario/ }).waitFor();
  await page.getByRole('link', { name: 'what did not pass in an earlier suite' }).click();
  await page.getByRole('link', { name: 'in a later suite' }).waitFor();
  await page.getByRole('heading', { name: /2 scenarios failed/ }).waitFor();
  await page.goto(`/instances/${instance}/suites/s20200101T000000000`);
  await page.getByRole('heading', { name: 'Suite not found' }).waitFor();
});
