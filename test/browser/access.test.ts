/**
 * Every page in both themes, wide and 390 px narrow: axe-core finds nothing serious, nothing sticks out, nothing is left blank,
 * and every control is reached by keyboard. Pages are those of the tables below, those that a navigation links to, and at least
 * one for each route of the console. `VP_SCREENSHOTS=folder` saves a picture of each, for people.
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { findBlankParts, findSeriousViolations, findUnreachableControls, measureOverflow } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { appearances, saveScreenshot } from './appearances.ts';
import { type BrowserTest, browserTest, instance } from './browser-test.ts';
import { allowPrivateUpstreams } from './hub-steps.ts';
import { startWeatherServer } from './weather-server.ts';

/** Every page with content, and a selector to wait for. */
async function listPages(
  page: Page,
  weatherUrl: string,
): Promise<readonly (readonly [path: string, selector: string])[]> {
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  const failed = await page.locator('.run-row.is-failed [data-row]').getAttribute('href');
  await page.locator('.run-row.is-passed').waitFor();
  await prepareHub(page, weatherUrl);
  await page.goto(`/instances/${instance}`);
  const failure = await page.locator('[data-row]').getAttribute('href');
  return [
    ['/', '.attention'],
    [`/instances/${instance}`, '[data-row]'],
    [`/instances/${instance}?state=resolved`, '.empty'],
    [`${failure}`, '.failure-facts'],
    ['/instances/empty', '.checklist'],
    [`/instances/${instance}/health`, '[data-row]'],
    [`/instances/${instance}/schedules`, '.empty'],
    [`/instances/${instance}/coverage`, '.empty'],
    ['/instances/empty/compare', '.empty'],
    [`/instances/${instance}/runs`, '[data-row]'],
    [`/instances/${instance}/runs?result=broken`, '.empty'],
    [`${failed}`, '.line.is-failed'],
    [`${failed}?tab=request`, '.headers'],
    [`${failed}?tab=timing`, '.timing'],
    [`${failed}?tab=compare`, '.exchange-line'],
    [`/instances/${instance}/scenarios`, '[data-row]'],
    [`/instances/${instance}/scenarios/RT-MORE`, '.rendered'],
    [`/instances/${instance}/scenarios/RT-MORE?tab=edit`, '.editor'],
    [`/instances/${instance}/scenarios/RT-MORE?tab=history`, '.diff'],
    ['/settings/environments', '.card-box'],
    ['/settings/people', 'table'],
    ['/settings/account', '.plain-list li'],
    ['/device', 'input'],
    ['/runs/20200101T000000000', '.empty h1'],
    [`/instances/${instance}/suites/s20200101T000000000`, '.empty h1'],
    ['/settings/nothing', '.empty h1'],
    ['/nowhere', '.empty h1'],
    ['/instances/empty/runs', '.checklist'],
    ['/instances/empty/scenarios', '.checklist'],
    ['/instances/empty/scenarios?deleted=true', '.empty'],
    ['/hubs/bare/connections', '.checklist'],
    ['/hubs/bare/tools', '.checklist'],
    ['/hubs/bare/try', '.checklist'],
    ['/hubs/bare/tokens', '.checklist'],
    ['/hubs/bare/audit', '.checklist'],
    ['/hubs', '.plain-list li'],
    ['/hubs/acme/connections', '.card-box'],
    ['/hubs/acme/tools', '.tool-row'],
    ['/hubs/acme/try', '.tool-choice button'],
    ['/hubs/acme/try?tool=weather__forecast', '.argument-form'],
    ['/hubs/acme/policy', '.policy-form'],
    ['/hubs/acme/members', '.people'],
    ['/hubs/acme/general', '.inline-form'],
    ['/hubs/acme/tokens', '.tokens'],
    ['/hubs/acme/connect', '.snippet'],
    ['/hubs/acme/connect?way=token', '.snippet'],
    ['/hubs/acme/audit', '.audit'],
    ['/hubs/acme/approvals', '.empty'],
    ['/hubs/acme/usage', '.people'],
    ['/hubs/acme/nothing', '.empty h1'],
    ['/hubs/nowhere/tokens', '.empty h1'],
    ['/hubs/acme', '.tokens'],
    ['/registry', '.empty'],
    ['/settings', '.card-box'],
  ];
}

/** A hub with a connection, a token and a call. */
async function prepareHub(page: Page, weatherUrl: string): Promise<void> {
  await callApi(page, 'POST', '/instances', { instance_id: 'empty' });
  await callApi(page, 'POST', '/hubs', { slug: 'bare', name: 'Bare' });
  await callApi(page, 'POST', '/hubs', { slug: 'acme', name: 'Acme Engineering' });
  await callApi(page, 'POST', '/hubs/acme/connections', { name: 'weather', kind: 'http', url: weatherUrl });
  await callApi(page, 'POST', '/hubs/acme/tokens', { name: 'a token with a long name', expiry: '30 days' });
  await callApi(page, 'POST', '/hubs/acme/tools/call', { name: 'weather__forecast', arguments: { city: 'Porto' } });
}

/** Pages that need no session. */
const signedOutPages = [
  ['/', 'form'],
  ['/sign-in', 'form'],
  ['/setup', 'h1'],
  ['/single-sign-on', 'h1'],
  ['/reset-password', 'h1'],
  ['/reset-password#abcdefghijklmnopqrstuvwxyz', '.problem'],
  ['/invitation', 'h1'],
  ['/invitation#abcdefghijklmnopqrstuvwxyz', '.problem'],
  ['/interaction/unknown', '.problem, h1'],
] as const;

/** Paths that the rail and the tabs of the page link to. */
async function listNavigationPaths(page: Page): Promise<readonly string[]> {
  const links = page.locator('nav a[href^="/"]');
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  return paths.map(toPathname).filter((path) => path !== '/docs');
}

/** The patterns of all routes of the console, such as `/runs/:run`. */
function listRoutes(): readonly string[] {
  const source = readFileSync('src/console/app.tsx', 'utf8');
  return Array.from(source.matchAll(/<Route path="([^"]+)"/g), ([, pattern = '']) => pattern);
}

function toPattern(route: string): RegExp {
  const inner = route.replaceAll(/\/:\w+\?/g, '(?:/[^/]+)?').replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${inner}$`);
}

const screenshotNames = new Set<string>();

/** Throws where two pictures would have one name, also while none is saved. A page is loaded once, and then checked in each appearance. */
async function savePicture(page: Page, path: string, appearance: string): Promise<void> {
  const name = `${path} ${appearance}`;
  if (screenshotNames.has(name)) throw new Error(`two pictures are named ${name}`);
  screenshotNames.add(name);
  await saveScreenshot(page, name);
}

const toPathname = (path: string): string => new URL(path, 'http://localhost').pathname;

/** Checks the pages of `table` and those that their navigation links to; returns what is wrong. Adds each path to `visited`. */
async function checkPages(
  page: Page,
  table: readonly (readonly [string, string])[],
  visited: Set<string>,
  session: 'signed in' | 'signed out',
): Promise<string[]> {
  const violations: string[] = [];
  const queue = [...table];
  const listed = new Set(table.map(([path]) => toPathname(path)));
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [path, selector] = next;
    visited.add(toPathname(path));
    await page.goto(path);
    await page.locator(selector).first().waitFor();
    for (const linked of await listNavigationPaths(page)) {
      if (!listed.has(linked)) queue.push([linked, 'main h1']);
      listed.add(linked);
    }
    const headings = await page.locator('h1').count();
    if (headings !== 1) violations.push(`${path} has ${headings} headings of level 1`);
    for (const control of await findUnreachableControls(page)) violations.push(`${path}: no Tab reaches ${control}`);
    for (const { name, colorScheme, viewport } of appearances) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await savePicture(page, `${session === 'signed out' ? session : ''}${path}`, name);
      const overflow = await measureOverflow(page);
      if (overflow > 0) violations.push(`${name} ${path} is ${overflow} px wider than the window`);
      for (const violation of await findSeriousViolations(page)) violations.push(`${name} ${path} ${violation}`);
      for (const text of await findBlankParts(page)) violations.push(`${name} ${path} is blank at ${text}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  return violations;
}

browserTest(
  'no page has serious violations or overflows, in both themes, wide and narrow',
  async (t, { owner }: BrowserTest) => {
    const page = await owner();
    const visited = new Set<string>();
    t.same(await checkPages(page, await listPages(page, (await startWeatherServer(t)).url), visited, 'signed in'), []);
    const paths = [...visited, ...signedOutPages.map(([path]) => toPathname(path))];
    t.same(
      listRoutes().filter((route) => !paths.some((path) => toPattern(route).test(path))),
      [],
      'every route has a page in the tables',
    );
  },
  allowPrivateUpstreams,
);

browserTest(
  'no page without a session has serious violations or overflows',
  async (t, { owner, openPage }: BrowserTest) => {
    await owner();
    t.same(await checkPages(await openPage(), signedOutPages, new Set(), 'signed out'), []);
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
