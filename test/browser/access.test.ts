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
  signedOutPages,
  toPathname,
  toPattern,
} from './access-pages.ts';
import { findSeriousViolations } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { type BrowserTest, browserTest, instance } from './browser-test.ts';

/** A passed and a failed run, and an instance without any; returns the paths of the failed run and of its failure. */
async function prepareRuns(page: Page): Promise<{ readonly failed: string; readonly failure: string }> {
  await callApi(page, 'POST', '/instances', { instance_id: 'empty' });
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  const failed = await page.locator('.run-row.is-failed [data-row]').getAttribute('href');
  await page.locator('.run-row.is-passed').waitFor();
  await page.goto(`/instances/${instance}`);
  const failure = await page.locator('[data-row]').getAttribute('href');
  if (failed === null || failure === null) throw new Error('a row leads nowhere');
  return { failed, failure };
}

browserTest('no page of runs and scenarios has serious violations or overflows', async (t, { owner }: BrowserTest) => {
  const page = await owner();
  const { failed, failure } = await prepareRuns(page);
  const table = listVerifyPages(failed, failure);
  t.same(await checkPages(page, { table, isOwn: (path) => !isHubPath(path), session: 'signed in' }), []);
});

t.test('every route of the console has a page in the tables', async (t) => {
  const tables = [listVerifyPages('/runs/20261127T000000000', '/instances/app/failures/f1'), hubPages, signedOutPages];
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
  t.not(await readBackground(), light);
  await page.reload();
  await page.getByRole('heading', { name: instance }).waitFor();
  t.not(await readBackground(), light, 'also after a reload');
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox').first().waitFor();
  t.same(await findSeriousViolations(page), []);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  t.same(await findSeriousViolations(page), []);
});

t.setTimeout(340_000);
