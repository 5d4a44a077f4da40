/** The HTML report in Chromium, from a file: a thousand runs, narrow, dark, with the keyboard, and without scripts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { renderHtml } from '../../src/report/html/render-html.ts';
import type { Report } from '../../src/report/report.ts';
import { broken, createResults, failed, failingText, passed } from '../report/report-fixtures.ts';
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { cpuThrottle, openChromium } from './chromium.ts';
import { waitForCondition, waitForCount, waitForText, waitForValue } from './wait-for.ts';

/** Of the page's main thread. */
const maxProcessorMs = 2_000 * cpuThrottle;
const maxBytes = 10_000_000;
const largeText = JSON.stringify({
  data: Array.from({ length: 8_000 }, (_, index) => ({ index, name: `row ${index} of many` })),
});

function withBody(report: Report, text: string): Report {
  const { request, response } = report.exchange;
  const body = { text: text.slice(0, 65_536), size_bytes: text.length, truncated: text.length > 65_536 };
  return { ...report, exchange: { request, response: response && { ...response, body } } };
}

/** A third failed, a few could not be judged, most passed; bodies of 304 kB as they are stored. */
function createThousandRuns(): Report[] {
  return Array.from({ length: 1000 }, (_, index) => {
    const changes = { runId: `20261120T14301${2000 + index}`, scenarioId: `RT-GET-orders-${index}` };
    const create = index % 3 === 0 ? failed : index % 50 === 1 ? broken : passed;
    return withBody(create(changes), largeText);
  });
}

const sources = new Map(
  Array.from({ length: 1000 }, (_, index) => [
    `RT-GET-orders-${index}`,
    { file: `test/scenarios/orders/a-rather-long-name-of-a-scenario-${index}.md`, text: failingText },
  ]),
);

async function openReport(
  browser: Browser,
  folder: string,
  reports: readonly Report[],
  options: BrowserContextOptions = {},
) {
  const file = join(folder, 'report.html');
  const text = renderHtml(createResults(reports, { sources }));
  writeFileSync(file, text);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const requests: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => problems.push(message.text()));
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(pathToFileURL(file).href);
  // Without scripts no frame is reported to the page.
  if (options.javaScriptEnabled !== false)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  const { metrics } = await session.send('Performance.getMetrics');
  const processorMs = 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  return { page, requests, problems, processorMs, bytes: Buffer.byteLength(text) };
}

/** In the page: a locator of a thousand visible elements takes Playwright a minute on a busy machine. */
const countVisible = (page: Page): Promise<number> =>
  page.evaluate(() => [...document.querySelectorAll('.run')].filter((run) => run.checkVisibility()).length);

t.test('a thousand runs open within two seconds of processor time, and are filtered and searched', async (t) => {
  const browser = await openChromium();
  t.teardown(() => browser.close());
  const { page, requests, problems, processorMs, bytes } = await openReport(browser, t.testdir(), createThousandRuns());
  t.comment(`${(bytes / 1e6).toFixed(1)} MB opened within ${Math.round(processorMs)} ms`);
  t.ok(bytes < maxBytes, `${bytes} bytes`);
  t.ok(processorMs < maxProcessorMs, `${Math.round(processorMs)} ms`);
  t.equal(requests.length, 1, 'nothing but the page is requested');

  await waitForValue(t, () => countVisible(page), 334 + 13, 'those that passed are folded');
  await page.getByRole('radio', { name: /^not judged/ }).check();
  await waitForValue(t, () => countVisible(page), 13);
  await page.getByRole('radio', { name: /^passed/ }).check();
  await waitForValue(t, () => countVisible(page), 653, 'the group opens');
  await page.getByRole('radio', { name: /^all/ }).check();

  await page.keyboard.press('/');
  await page.keyboard.type('orders-999');
  await waitForValue(t, () => countVisible(page), 1);
  await waitForValue(t, () => page.getByRole('status').textContent(), '1 of 1000');
  await page.keyboard.press('Escape');
  await waitForValue(t, () => page.getByRole('status').textContent(), '');

  await page.getByText('Index of 347 runs').click();
  await page.getByRole('link', { name: 'RT-GET-orders-6', exact: true }).click();
  await waitForCondition(t, () => page.locator('[id="20261120T143012006"] .found').first().isVisible());
  t.same(problems, []);
});

t.test('a report is complete at 390 px, in light and dark, and with the keyboard alone', async (t) => {
  const browser = await openChromium();
  t.teardown(() => browser.close());
  const reports = createThousandRuns().slice(0, 14);
  const checkAccessibility = async (t: Test, page: Page, name: string): Promise<void> => {
    if (!name.endsWith('390')) return;
    // Of the first runs: each further one has the same elements, and takes axe a second.
    await page.locator('.run').evaluateAll((runs) => {
      for (const run of runs.slice(2, -1)) run.remove();
    });
    t.same(await findSeriousViolations(page), [], name);
  };
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      const options = { colorScheme, viewport: { width, height: 844 } };
      const { page } = await openReport(browser, t.testdir(), reports, options);
      t.equal(await measureOverflow(page), 0, `${colorScheme} ${width}: nothing is wider than the window`);
      await waitForText(t, page.locator('.found').first(), /expected[\s\S]*actual[\s\S]*0/);
      const heightPx = await page.evaluate(() => document.documentElement.scrollHeight);
      t.ok(heightPx < 3_000, `${colorScheme} ${width}: ${heightPx} px for 14 runs`);
      await waitForText(t, page.locator('.found mark').first(), '/count  0', 'beyond the stored part of 304 kB');
      if (process.env.VP_SCREENSHOTS)
        await page.screenshot({
          path: join(process.env.VP_SCREENSHOTS, `report-${colorScheme}-${width}.png`),
          fullPage: true,
        });
      await page.getByRole('button', { name: 'Expand all' }).click();
      await page.locator('details').evaluateAll((all) => {
        for (const details of all) details.setAttribute('open', '');
      });
      t.equal(await measureOverflow(page), 0, `${colorScheme} ${width}: nor when everything is open`);
      if (process.env.VP_SCREENSHOTS)
        await page.screenshot({ path: join(process.env.VP_SCREENSHOTS, `report-${colorScheme}-${width}-open.png`) });
      await checkAccessibility(t, page, `${colorScheme} ${width}`);
      await page.context().close();
    }
  }
  const { page } = await openReport(browser, t.testdir(), reports);
  const second = page.locator('details.run').nth(1);
  await waitForCondition(t, async () => !(await second.getAttribute('open')));
  await second.locator('> summary').focus();
  await page.keyboard.press('Enter');
  await waitForCondition(t, () => second.locator('.found').first().isVisible());
});

t.test('without scripts, as in Jenkins, filters and folding work', async (t) => {
  const browser = await openChromium();
  t.teardown(() => browser.close());
  const reports = createThousandRuns().slice(0, 14);
  const { page } = await openReport(browser, t.testdir(), reports, { javaScriptEnabled: false });
  await waitForCondition(t, async () => !(await page.getByLabel('Search runs').isVisible()));
  await page.getByRole('radio', { name: /^not judged/ }).check();
  await waitForCount(t, page.locator('.run:visible'), 1);
  await page.locator('.run:visible > summary').click();
  await waitForCondition(t, () => page.getByText('No response was received.').isVisible());
});
