import { findSeriousViolations } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { findAppearanceProblems, saveScreenshot } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForCount, waitForText, waitForValue } from './wait-for.ts';

browserTest('a flaky scenario is put in quarantine from Health, fails there, and is released', async (t, context) => {
  const { owner, testTarget } = context;
  const page = await owner();
  const health = `/instances/${instance}/health`;
  await page.goto(health);
  await page.getByRole('button', { name: 'Quarantine RT-COUNT' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Put RT-COUNT in quarantine' });
  await dialog.waitFor();
  await waitForValue(
    t,
    () => dialog.getByRole('button', { name: 'Put in quarantine' }).isDisabled(),
    true,
    'it needs a reason',
  );
  t.same(await findSeriousViolations(page), []);
  await saveScreenshot(page, 'quarantine dialog');
  await dialog.getByLabel('Reason').fill('the index is rebuilt');
  await dialog.getByLabel('Owner').fill('search team');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const section = page.getByRole('region', { name: 'In quarantine' });
  await waitForText(
    t,
    section.getByRole('row', { name: /RT-COUNT/ }),
    /15 days left[\s\S]*search team[\s\S]*the index/,
  );
  t.same(await findAppearanceProblems(page, health, '#quarantines'), []);

  testTarget.count = 4;
  const scenarios = [{ id: 'RT-COUNT' }, { id: 'RT-MORE' }];
  await callApi(page, 'POST', `/instances/${instance}/runs`, { scenarios });
  await page.goto(`/instances/${instance}/runs`);
  const row = page.locator('.run-row.is-failed');
  await row.waitFor();
  await waitForText(t, row, /in quarantine until/);
  await row.getByRole('link').first().click();
  await page.getByText('This failure does not count: the scenario was in quarantine until').waitFor();
  const run = page.url();
  t.same(await findAppearanceProblems(page, run, '.badge'), []);

  await page.goto('/');
  await page.getByRole('heading', { name: 'Failing in quarantine, which does not count' }).waitFor();
  await waitForCount(t, page.getByRole('heading', { name: '1 failing scenario' }), 0);
  t.same(await findAppearanceProblems(page, '/', '#quarantined'), []);
  await page.goto(`/instances/${instance}`);
  await page.getByRole('row', { name: /RT-COUNT.*failing, in quarantine until/ }).waitFor();

  const scenario = `/instances/${instance}/scenarios/RT-COUNT`;
  t.same(await findAppearanceProblems(page, scenario, 'section[aria-label=Quarantine]'), []);
  await page.getByRole('button', { name: 'Change…' }).click();
  await page.getByLabel('Reason').fill('it is being repaired');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'Quarantine' }).getByText('it is being repaired').waitFor();
  await page.getByRole('button', { name: 'Release' }).click();
  await page.getByRole('region', { name: 'Quarantine' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Quarantine…' }).waitFor();
  await page.goto(run);
  await page.getByText('This failure does not count').waitFor();
});

browserTest('a suite whose failures are in quarantine passes and lists them', async (t, { owner, testTarget }) => {
  const page = await owner();
  testTarget.count = 4;
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const path = `/instances/${instance}/scenarios/RT-COUNT/quarantine`;
  await callApi(page, 'PUT', path, { until, reason: 'the index is rebuilt' });
  const scenarios = [{ id: 'RT-COUNT' }];
  await callApi(page, 'POST', `/instances/${instance}/runs`, { scenarios, suite: { name: 'nightly' } });
  await page.goto(`/instances/${instance}/suites`);
  await page
    .getByRole('row', { name: /nightly passed 1 failed in quarantine/ })
    .getByRole('link')
    .first()
    .click();
  await page.getByText('1 run failed in quarantine. Such failures do not count.').waitFor();
  await page.getByRole('table', { name: 'Did not pass' }).getByText('in quarantine until').waitFor();
  await waitForCount(t, page.getByRole('button', { name: /Run again what did not pass/ }), 0);
  const suite = page.url();
  t.same(await findAppearanceProblems(page, suite, '.run-row.is-failed'), []);
});
