import { callApi } from './acme-hub.ts';
import { findAppearanceProblems, findProblemsAsDisplayed } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForMatch, waitForText, waitForValue } from './wait-for.ts';

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
  await waitForText(t, page.getByRole('row', { name: /RT-COUNT/ }), /newly failing[\s\S]*1 of 1 passed[\s\S]*0 of 1/);
  await page.getByLabel('From').selectOption('2.4.1');
  await page.getByLabel('to', { exact: true }).selectOption('2.4.0');
  await page
    .getByRole('row', { name: /RT-COUNT/ })
    .getByText('fixed')
    .waitFor();
  await waitForMatch(t, () => page.url(), /base=2\.4\.1&head=2\.4\.0/);
  await page.goto(`/instances/${instance}/runs`);
  await page.locator('.run-version').nth(3).waitFor();
  await waitForValue(
    t,
    () => page.locator('.run-version').allInnerTexts(),
    ['2.4.1', '2.4.1', '2.4.0', '2.4.0'].map((version) => `version ${version}`),
  );
  await page.getByRole('link', { name: 'RT-COUNT' }).first().click();
  await page.getByRole('link', { name: '2.4.1' }).click();
  await page.getByText('1 newly failing, 1 fixed').waitFor();
  await waitForValue(t, () => page.getByLabel('From').inputValue(), '2.4.0', 'the version before it');
  await page.goto(`/instances/${instance}/compare?head=2.4.0`);
  await page.getByText('1 newly failing, 1 fixed').waitFor();
  await waitForValue(t, () => page.getByLabel('From').inputValue(), '2.4.1', 'no version is compared with itself');
  t.same(await findAppearanceProblems(page, `/instances/${instance}/compare`, '[data-row]'), []);
  testTarget.count = 3;
  await run('2.4.2');
  await page.goto(`/instances/${instance}/compare?base=2.4.0&head=2.4.2`);
  await page.getByRole('button', { name: 'Show 1 unchanged scenario' }).click();
  await page.getByRole('row', { name: /RT-COUNT/ }).waitFor();
  t.same(await findProblemsAsDisplayed(page), [], 'with what did not change');
});

browserTest('two branches and two periods are compared', async (t, { owner, testTarget }) => {
  const page = await owner();
  const path = `/instances/${instance}/compare`;
  await page.goto(path);
  await page.getByLabel('Compare', { exact: true }).selectOption('branches');
  await page.getByText('Fewer than two branches are known').waitFor();
  await waitForMatch(t, () => page.url(), /\?by=branches$/);
  t.same(await findProblemsAsDisplayed(page), [], 'no branches');
  const run = async (branch: string): Promise<void> => {
    const scenarios = [{ id: 'RT-COUNT' }, { id: 'RT-MORE' }];
    await callApi(page, 'POST', `/instances/${instance}/runs`, { scenarios, suite: { source: { branch } } });
    await page.goto(`/instances/${instance}/runs`);
    await page.getByRole('link', { name: 'RT-MORE' }).first().waitFor();
    await page.locator('.is-queued, .is-running').first().waitFor({ state: 'detached' });
  };
  await run('main');
  const between = new Date().toISOString();
  testTarget.count = 4;
  await run('checkout');

  await page.goto(`${path}?by=branches`);
  await page.getByText('1 newly failing, 1 fixed').waitFor();
  await waitForValue(t, () => page.getByLabel('From').inputValue(), 'main');
  await waitForValue(t, () => page.getByLabel('to', { exact: true }).inputValue(), 'checkout');
  await page.getByText('the branch checkout: 2 runs').waitFor();
  await page.getByLabel('From').selectOption('checkout');
  await page.getByText('1 failing before').waitFor();
  await waitForMatch(t, () => page.url(), /by=branches&base=checkout&head=checkout$/, 'the other side does not follow');
  t.same(await findAppearanceProblems(page, `${path}?by=branches`, '[data-row]'), [], 'branches');

  await page.goto(`${path}?by=periods`);
  await page.getByText('There is nothing to compare').waitFor();
  t.same(await findProblemsAsDisplayed(page), [], 'nothing ran last week');
  await page.getByLabel('Periods').selectOption('own');
  await page.getByLabel('First until').fill('1999-01-01T00:00');
  const isValid = () => page.locator('form').evaluate((form) => (form as HTMLFormElement).checkValidity());
  await waitForValue(t, isValid, false, 'an incomplete year is no time');
  await page.getByLabel('First from').fill('2026-01-02T00:00');
  await page.getByLabel('First until').fill('2026-01-01T00:00');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByText('The first period ends before it begins.').waitFor();
  t.same(await findProblemsAsDisplayed(page), [], 'two periods');
  await page.getByLabel('Periods').selectOption('day');
  await waitForMatch(t, () => page.url(), /periods=day&base_since=.*T.*&base_until=.*&head_since=/);

  const since = new Date(Date.parse(between) - 3_600_000).toISOString();
  const query = new URLSearchParams({ by: 'periods', periods: 'moment', base_since: since, base_until: between });
  await page.goto(`${path}?${query}&head_since=${encodeURIComponent(between)}`);
  await page.getByText('1 newly failing, 1 fixed').waitFor();
  t.same(await findProblemsAsDisplayed(page), [], 'before and after a time');
  await page.getByLabel('Time', { exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/base_since=.*T/);
  await waitForMatch(t, () => page.url(), /periods=moment/, 'the keyboard alone compares');
});
