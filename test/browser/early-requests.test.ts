/** What a new tab asks for before its scripts are there, and whether the page wanted it. */
import type { Page } from 'playwright-core';
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
    [`${base}/compare`, 4],
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
