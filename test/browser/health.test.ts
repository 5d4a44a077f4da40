import { callApi } from './acme-hub.ts';
import { findAppearanceProblems, findProblemsAsDisplayed } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForText } from './wait-for.ts';

browserTest('a flaky scenario is named with its version and its check', async (t, { owner, testTarget }) => {
  const page = await owner();
  for (const count of [3, 4]) {
    testTarget.count = count;
    const body = { scenarios: [{ id: 'RT-COUNT' }], target_version: '2.4.0' };
    await callApi(page, 'POST', `/instances/${instance}/runs`, body);
    await page.goto(`/instances/${instance}/runs`);
    await page.locator(count === 3 ? '.run-row.is-passed' : '.run-row.is-failed').waitFor();
  }
  await page.goto(`/instances/${instance}`);
  await page.getByRole('link', { name: 'Health' }).click();
  const row = page.getByRole('row', { name: /RT-COUNT/ });
  await row.getByText('flaky').waitFor();
  await waitForText(t, row, /0%[\s\S]*50%[\s\S]*100%[\s\S]*flaky in 2\.4\.0/);
  await page.getByRole('button', { name: 'Checks of RT-COUNT' }).click();
  const check = page.getByRole('table', { name: 'Checks of RT-COUNT' }).getByRole('row', { name: /count equals 3/ });
  await check.getByText('50%').first().waitFor();
  t.same(await findProblemsAsDisplayed(page), [], 'with the checks of a scenario');
  t.same(await findAppearanceProblems(page, `/instances/${instance}/health`, '[data-row]'), []);
});
