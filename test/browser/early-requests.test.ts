/** What a new tab asks for before its scripts are there, and whether the page wanted it. */
import type { Page } from 'playwright-core';
import { callApi } from './acme-hub.ts';
import { browserTest, instance, runCountWithKeyboard } from './browser-test.ts';

type EarlyWindow = { vpEarly?: Map<string, unknown>; vpEarlyPaths?: string[] };

/** Remembers the map that the start script makes, and what was in it. */
function recordEarlyResponses(): void {
  const target = globalThis as unknown as EarlyWindow;
  let current: Map<string, unknown> | undefined;
  Object.defineProperty(globalThis, 'vpEarlyResponses', {
    get: () => current,
    set(value: Map<string, unknown> | undefined) {
      current = value;
      if (!value) return;
      target.vpEarly = value;
      target.vpEarlyPaths = [...value.keys()];
    },
  });
}

const readEarly = (page: Page) =>
  page.evaluate(() => {
    const { vpEarly, vpEarlyPaths = [] } = globalThis as unknown as EarlyWindow;
    return { paths: vpEarlyPaths, unused: [...(vpEarly?.keys() ?? [])] };
  });

browserTest('a page uses all that was asked for before its scripts were there', async (t, { owner }) => {
  const page = await owner();
  await runCountWithKeyboard(page);
  const run = await page.locator('.run-row.is-passed').getAttribute('data-run');
  await page.addInitScript(recordEarlyResponses);
  const base = `/instances/${instance}`;
  const pages = [
    ['/', 5],
    [base, 4],
    [`${base}/runs`, 8],
    [`${base}/scenarios`, 7],
    [`${base}/scenarios/RT-COUNT`, 4],
    [`${base}/health`, 5],
    [`${base}/compare`, 5],
    [`${base}/schedules`, 4],
    [`${base}/suites`, 4],
    [`/runs/${run}`, 4],
    [`${base}/runs?result=failed`, 3],
    ['/settings/people', 3],
  ] as const;
  for (const [path, count] of pages) {
    const requests: string[] = [];
    const onRequest = (request: { url(): string }) =>
      void requests.push(request.url().replace(/^https?:\/\/[^/]+/, ''));
    page.on('request', onRequest);
    await page.goto(path);
    await page.locator('main h1, main .run-head').first().waitFor();
    await page.waitForFunction(() => (globalThis as unknown as EarlyWindow).vpEarly?.size === 0).catch(() => undefined);
    page.off('request', onRequest);
    const { paths, unused } = await readEarly(page);
    t.same(unused, [], `${path} uses all of them`);
    t.equal(paths.length, count, path);
    t.ok(
      paths.every((early) => requests.includes(early)),
      `${path} asks for them`,
    );
  }
});

browserTest('a page that a link leads to asks for everything once', async (t, { owner }) => {
  const page = await owner();
  const base = `/instances/${instance}`;
  await callApi(page, 'POST', `${base}/runs`, { scenarios: [{ id: 'RT-COUNT' }, { id: 'RT-MORE' }] });
  await page.locator('.run-row.is-passed').waitFor();
  await page.locator('.run-row.is-failed').waitFor();
  await page.goto(`${base}/suites`);
  const suite = await page.locator('[data-row]').first().getAttribute('href');
  for (const [from, link, selector] of [
    [base, `main a[href="${base}/health"]`, 'main tbody [data-row]'],
    [base, `main a[href="${base}/compare"]`, 'main .empty'],
    [`${base}/runs`, `.rail a[href="${base}/scenarios"]`, '.scenario-result a'],
    [`${base}/runs`, `.rail a[href="${base}/suites"]`, '[data-row]'],
    [`${base}/suites`, `a[href="${suite}"]`, '.run-table [data-row]'],
    ['/', `.rail a[href="${base}"]`, 'main h1'],
  ] as const) {
    await page.goto(from);
    await page.locator('main h1, main .run-head').first().waitFor();
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    const requests: string[] = [];
    const onRequest = (request: { url(): string }) => {
      const { pathname, search } = new URL(request.url());
      if (/^\/api\/v1\/(?:instances\/|runs\?)/.test(`${pathname}${search}`)) requests.push(`${pathname}${search}`);
    };
    await page.locator(link).first().waitFor();
    page.on('request', onRequest);
    await page.locator(link).first().click();
    await page.waitForURL((url) => url.pathname !== from);
    await page.locator(selector).first().waitFor();
    page.off('request', onRequest);
    t.ok(requests.length > 0, `${link}: ${requests.length} requests`);
    t.same(
      requests.filter((path, index) => requests.indexOf(path) !== index),
      [],
      `${link}: none twice`,
    );
  }
});
