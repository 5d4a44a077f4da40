/**
 * Every page in both themes, wide and 390 px narrow: axe-core finds nothing serious, nothing sticks out, nothing is left blank,
 * and every control is reached by keyboard. Pages are those of the tables, those that a navigation links to, and at least
 * one for each route of the console. Those of hubs and settings are in `access-hub.test.ts`.
 */
import type { Page } from 'playwright-core';
import t from 'tap';
import { checkPages } from './access-checks.ts';
import {
  hubPages,
  isHubPath,
  listRoutes,
  listVerifyPages,
  type RunPaths,
  signedOutPages,
  toPathname,
  toPattern,
} from './access-pages.ts';
import { findSeriousViolations } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { type BrowserTest, browserTest, instance } from './browser-test.ts';
import { waitForCondition } from './wait-for.ts';

/** A passed and a failed run of a suite, two versions, a schedule, and an instance without any of them. */
async function prepareRuns(page: Page): Promise<RunPaths> {
  await callApi(page, 'POST', '/instances', { instance_id: 'empty' });
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  const failed = await page.locator('.run-row.is-failed [data-row]').getAttribute('href');
  await page.locator('.run-row.is-passed').waitFor();
  await page.goto(`/instances/${instance}/suites`);
  const suite = await page.locator('[data-row]').getAttribute('href');
  await callApi(page, 'POST', `/instances/${instance}/schedules`, { schedule_id: 'nightly', cron: '0 2 * * *' });
  await runVersions(page, ['2.4.0', '2.4.1']);
  await page.goto(`/instances/${instance}`);
  const failure = await page.locator('[data-row]').getAttribute('href');
  if (failed === null || failure === null || suite === null) throw new Error('a row leads nowhere');
  return { failed, failure, suite };
}

/** A passing run for each version of the target, one after the other. */
async function runVersions(page: Page, versions: readonly string[]): Promise<void> {
  for (const version of versions)
    await callApi(page, 'POST', `/instances/${instance}/runs`, {
      scenarios: [{ id: 'RT-COUNT' }],
      target_version: version,
    });
  await page.goto(`/instances/${instance}/runs`);
  await page.getByRole('link', { name: 'RT-COUNT' }).nth(versions.length).waitFor();
  await page.locator('.is-queued, .is-running').first().waitFor({ state: 'detached' });
}

browserTest('no page of runs and scenarios has serious violations or overflows', async (t, { owner }: BrowserTest) => {
  const page = await owner();
  const table = listVerifyPages(await prepareRuns(page));
  t.same(await checkPages(page, { table, isOwn: (path) => !isHubPath(path), session: 'signed in' }), []);
});

const samplePaths: RunPaths = {
  failed: '/runs/20261127T000000000',
  failure: '/instances/app/failures/f1',
  suite: '/instances/app/suites/s20261127T000000000',
};

t.test('every route of the console has a page in the tables', async (t) => {
  const tables = [listVerifyPages(samplePaths), hubPages, signedOutPages];
  const paths = tables.flat().map(([path]) => toPathname(path));
  t.same(
    listRoutes().filter((route) => !paths.some((path) => toPattern(route).test(path))),
    [],
  );
});

browserTest(
  'no page without a session has serious violations or overflows',
  async (t, { owner, openPage }: BrowserTest) => {
    await owner();
    const table = signedOutPages;
    t.same(await checkPages(await openPage(), { table, isOwn: () => false, session: 'signed out' }), []);
  },
);

browserTest('a selected theme persists, and dialogs are accessible in it', async (t, { owner }) => {
  const page = await owner({ colorScheme: 'light' });
  const readBackground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await readBackground();
  const toggle = page.getByRole('button', { name: /^Theme:/ });
  await toggle.click();
  await toggle.click();
  await waitForCondition(t, async () => (await readBackground()) !== light);
  await page.reload();
  await page.getByRole('heading', { name: instance }).waitFor();
  await waitForCondition(t, async () => (await readBackground()) !== light, 'also after a reload');
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox').first().waitFor();
  t.same(await findSeriousViolations(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  t.same(await findSeriousViolations(page), []);
});
