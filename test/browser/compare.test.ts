import t from 'tap';
import { callApi } from './acme-hub.ts';
import { findAppearanceProblems, findProblemsAsDisplayed } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';

browserTest('two versions of the target are compared', async (t, { owner, testTarget }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/compare`);
  await page.getByText('Fewer than two versions of the target are known').waitFor();
  const run = async (version: string): Promise<void> => {
    const scenarios = [{ id: 'RT-COUNT' }, { id: 'RT-MORE' }];
    await callApi(page, 'POST', `/instances/${instance}/runs`, { scenarios, target_version: version });
    await page.goto(`/instances/${instance}/runs`);
    await page.getByRole('link', { name: 'RT-MORE' }).first().waitFor();
    await page.locator('.is-queued, .is-running').first().waitFor({ state: 'detached' });
  };
  await run('2.4.0');
  testTarget.count = 4;
  await run('2.4.1');
  await page.goto(`/instances/${instance}`);
  await page.getByRole('link', { name: 'What did this change break?' }).click();
  await page.getByText('1 newly failing, 1 fixed').waitFor();
  t.match(
    await page.getByRole('row', { name: /RT-COUNT/ }).innerText(),
    /newly failing[\s\S]*1 of 1 passed[\s\S]*0 of 1/,
  );
  await page.getByLabel('From').selectOption('2.4.1');
  await page.getByLabel('to', { exact: true }).selectOption('2.4.0');
  await page
    .getByRole('row', { name: /RT-COUNT/ })
    .getByText('fixed')
    .waitFor();
  t.match(page.url(), /base=2\.4\.1&head=2\.4\.0/);
  await page.goto(`/instances/${instance}/runs`);
  await page.locator('.run-version').nth(3).waitFor();
  t.same(
    await page.locator('.run-version').allInnerTexts(),
    ['2.4.1', '2.4.1', '2.4.0', '2.4.0'].map((version) => `version ${version}`),
  );
  await page.getByRole('link', { name: 'RT-COUNT' }).first().click();
  await page.getByRole('link', { name: '2.4.1' }).click();
  await page.getByText('1 newly failing, 1 fixed').waitFor();
  t.equal(await page.getByLabel('From').inputValue(), '2.4.0', 'the version before it');
  await page.goto(`/instances/${instance}/compare?head=2.4.0`);
  await page.getByText('1 newly failing, 1 fixed').waitFor();
  t.equal(await page.getByLabel('From').inputValue(), '2.4.1', 'no version is compared with itself');
  t.same(await findAppearanceProblems(page, `/instances/${instance}/compare`, '[data-row]'), []);
  testTarget.count = 3;
  await run('2.4.2');
  await page.goto(`/instances/${instance}/compare?base=2.4.0&head=2.4.2`);
  await page.getByRole('button', { name: 'Show 1 unchanged scenario' }).click();
  await page.getByRole('row', { name: /RT-COUNT/ }).waitFor();
  t.same(await findProblemsAsDisplayed(page), [], 'with what did not change');
});

t.setTimeout(340_000);
