/** The dashboard's page with a fake Prometheus. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { startFakePrometheus } from '../dashboard/fake-prometheus.ts';
import { createMachineMetrics } from '../dashboard/machine-metrics.ts';
import { sandboxTest } from '../e2e/sandbox.ts';
import { eventually } from '../eventually.ts';
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { openChromium } from './chromium.ts';
import { waitForCondition, waitForCount, waitForText, waitForValue } from './wait-for.ts';

type DashboardTest = {
  readonly prometheus: Awaited<ReturnType<typeof startFakePrometheus>>;
  openPage(path: string, options?: BrowserContextOptions): Promise<Page>;
};

/** Declares a test with the packed dashboard, a fake Prometheus and a browser. */
function dashboardTest(name: string, run: (t: Test, context: DashboardTest) => Promise<void>): void {
  sandboxTest(name, async (t, stage) => {
    const prometheus = await startFakePrometheus(t, createMachineMetrics(Date.now() / 1000));
    const running = stage.vp(['dashboard', '--json', '--port', '0', '--prometheus', prometheus.origin]);
    const [, baseURL = ''] = await running.waitForOutput(/^\{"event":"listening".*"url":"([^"]+)"/m);
    const browser = await openChromium();
    const problems: string[] = [];
    const openPage = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
      const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 }, ...options });
      context.setDefaultTimeout(15_000);
      context.on('weberror', (error) => problems.push(String(error.error())));
      context.on('console', (message) => {
        if (/Content.Security.Policy/i.test(message.text())) problems.push(message.text());
      });
      const page = await context.newPage();
      await page.goto(path);
      return page;
    };
    try {
      await run(t, { prometheus, openPage });
      t.same(problems, [], 'no script errors, no violations of the content security policy');
    } finally {
      await browser.close();
    }
  });
}

dashboardTest('all instances with their charts, alerts first', async (t, { openPage }) => {
  const page = await openPage('/');
  await page.getByRole('heading', { name: 'sign-prod' }).waitFor();
  const alerts = page.getByRole('list', { name: 'Alerts' }).getByRole('listitem');
  await waitForCount(t, alerts, 2);
  await waitForText(t, alerts.first(), /executor of shop-dev has not contacted.*platform-inst-shop-dev ps/s);
  const instance = page.getByRole('region', { name: 'sign-prod' });
  await waitForText(t, instance, /connected\s+1,204 runs\s+\d+(\.\d)? % passed\s+p95 \d+ ms/);
  await waitForText(t, page.getByRole('region', { name: 'shop-dev' }), /not responding.*last seen 30 min ago/s);
  await waitForCount(t, instance.getByRole('img'), 6);
  await instance.getByRole('img', { name: /^Duration: p50 \d+ ms, p95 \d+ ms, p99 \d+ ms$/ }).waitFor();
  await page.getByRole('row', { name: /RT-GET-envelope shop-dev 4 × 19/ }).waitFor();
  const otherCaption = page.getByRole('region', { name: 'shop-dev' }).locator('figcaption').first();
  const before = await otherCaption.innerText();
  await instance
    .locator('.u-over')
    .first()
    .hover({ position: { x: 40, y: 30 } });
  await eventually(() => otherCaption.innerText(), { until: (text) => text !== before });
  t.pass('the cursor is shared by the charts of all instances');
});

dashboardTest('without a range in the address the last hour is displayed', async (_t, { openPage }) => {
  const page = await openPage('/');
  await page.getByRole('button', { name: '1 h', pressed: true }).waitFor();
});

dashboardTest(
  'the range is part of the address, and selected with a key or a button',
  async (t, { openPage, prometheus }) => {
    const page = await openPage('/?range=24h');
    await page.getByRole('button', { name: '24 h', pressed: true }).waitFor();
    await page.getByRole('heading', { name: 'sign-prod' }).waitFor();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL(/range=7d/);
    await page.keyboard.press('5');
    await page.waitForURL(/range=30d/);
    await page.getByRole('button', { name: '30 days', pressed: true }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: '7 days', pressed: true }).waitFor();
    const wasQueried = (step: string) => prometheus.queries.some(({ parameters }) => parameters.step === step);
    for (const step of ['600', '3600', '14400']) {
      t.ok(await eventually(() => wasQueried(step)), step);
    }
    await page.reload();
    await page.getByRole('heading', { name: 'sign-prod' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/range=1h/);
  },
);

dashboardTest('the theme persists', async (t, { openPage }) => {
  const page = await openPage('/');
  const readBackground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await readBackground();
  const button = page.getByRole('button', { name: /^Theme/ });
  await button.click();
  await button.click();
  await waitForCondition(t, async () => (await readBackground()) !== light);
  await page.reload();
  await page.getByRole('button', { name: /^Theme: dark/ }).waitFor();
  await waitForCondition(t, async () => (await readBackground()) !== light);
});

dashboardTest('first use, and Prometheus unavailable and back', async (t, { openPage, prometheus }) => {
  const answers = prometheus.handler;
  prometheus.handler = (_request, response) => response.end('{"status":"success","data":{"result":[]}}');
  const page = await openPage('/');
  await page.getByText('No instances in this time range').waitFor();
  await page.getByText('vp onboard').waitFor();
  prometheus.handler = (_request, response) => response.writeHead(503).end();
  const away = await openPage('/?range=1h');
  const status = away.getByRole('status');
  await status.getByText('docker compose -p platform-obs start prometheus').waitFor();
  await waitForText(t, status, /Prometheus has not answered.*\(for \d+ s\)/s);
  t.same(await findSeriousViolations(away), []);
  prometheus.handler = answers;
  await away.getByRole('heading', { name: 'sign-prod' }).waitFor();
  await waitForValue(t, () => status.innerText(), '', 'it recovers automatically');
});

const appearances = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'light, 360 px wide', options: { colorScheme: 'light', viewport: { width: 360, height: 740 } } },
  { name: 'dark, 360 px wide', options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } } },
] as const;

dashboardTest('no serious violations and no overflow in any theme and width', async (t, { openPage }) => {
  for (const { name, options } of appearances) {
    const page = await openPage('/', options);
    await page.getByRole('heading', { name: 'Flakiest scenarios' }).waitFor();
    t.same(await findSeriousViolations(page), [], name);
    t.ok((await measureOverflow(page)) <= 0, `${name}: no overflow`);
  }
});
