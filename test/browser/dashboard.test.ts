/** The dashboard's page before a Prometheus whose answers are known. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { aMachine } from '../dashboard/a-machine.ts';
import { fakePrometheus } from '../dashboard/fake-prometheus.ts';
import { scene } from '../e2e/stage.ts';
import { openChromium } from './chromium.ts';
import { seriousOf, widerThanWindow } from './sound.ts';

type Shown = {
  readonly prometheus: Awaited<ReturnType<typeof fakePrometheus>>;
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
};

/** A test with the packed dashboard, a Prometheus of the test's own, and a browser. */
function shown(name: string, play: (t: Test, shown: Shown) => Promise<void>): void {
  scene(name, async (t, stage) => {
    const prometheus = await fakePrometheus(t, aMachine(Date.now() / 1000));
    const running = stage.vp(['dashboard', '--json', '--port', '0', '--prometheus', prometheus.origin]);
    const [, baseURL = ''] = await running.said(/^\{"event":"listening".*"url":"([^"]+)"/m);
    const browser = await openChromium();
    const told: string[] = [];
    const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
      const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 }, ...options });
      context.setDefaultTimeout(15_000);
      context.on('weberror', (error) => told.push(String(error.error())));
      context.on('console', (message) => {
        if (/Content.Security.Policy/i.test(message.text())) told.push(message.text());
      });
      const page = await context.newPage();
      await page.goto(path);
      return page;
    };
    try {
      await play(t, { prometheus, open });
      t.same(told, [], 'no script broke, and the content security policy refused nothing');
    } finally {
      await browser.close();
    }
  });
}

shown('all instances with their charts, what is wrong first', async (t, { open }) => {
  const page = await open('/');
  await page.getByRole('heading', { name: 'sign-prod' }).waitFor();
  const alerts = page.getByRole('list', { name: 'Alerts' }).getByRole('listitem');
  t.equal(await alerts.count(), 2);
  t.match(await alerts.first().innerText(), /executor of shop-dev has not called.*platform-inst-shop-dev ps/s);
  const instance = page.getByRole('region', { name: 'sign-prod' });
  t.match(await instance.innerText(), /connected\s+1,204 runs\s+\d+(\.\d)? % passed\s+p95 \d+ ms/);
  t.match(await page.getByRole('region', { name: 'shop-dev' }).innerText(), /does not answer.*last seen 1 h ago/s);
  t.equal(await instance.getByRole('img').count(), 6);
  await instance.getByRole('img', { name: /^Duration: p50 \d+ ms, p95 \d+ ms, p99 \d+ ms$/ }).waitFor();
  await page.getByRole('row', { name: /RT-GET-envelope shop-dev 4 × 19/ }).waitFor();
  const before = await instance.locator('figcaption').first().innerText();
  await page
    .locator('.u-over')
    .first()
    .hover({ position: { x: 40, y: 30 } });
  await page.waitForFunction(
    (text) => document.querySelectorAll('figcaption')[6]?.textContent !== text,
    before.replace('\n', ' '),
  );
  t.pass('the cursor crosses the charts of all instances');
});

shown('the range is in the address bar, and chosen by key or button', async (t, { open, prometheus }) => {
  const page = await open('/?range=24h');
  await page.getByRole('button', { name: '24 h', pressed: true }).waitFor();
  await page.getByRole('heading', { name: 'sign-prod' }).waitFor();
  await page.getByRole('button', { name: '7 days' }).click();
  await page.waitForURL(/range=7d/);
  await page.keyboard.press('5');
  await page.waitForURL(/range=30d/);
  await page.getByRole('button', { name: '30 days', pressed: true }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: '7 days', pressed: true }).waitFor();
  const asked = (step: string) => prometheus.questions.some(({ parameters }) => parameters.step === step);
  for (const step of ['600', '3600', '14400']) {
    for (let waited = 0; !asked(step) && waited < 20_000; waited += 100) await page.waitForTimeout(100);
    t.ok(asked(step), step);
  }
  await page.reload();
  await page.getByRole('heading', { name: 'sign-prod' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/range=1h/);
});

shown('the theme is kept', async (t, { open }) => {
  const page = await open('/');
  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await paper();
  const button = page.getByRole('button', { name: /^Theme/ });
  await button.click();
  await button.click();
  t.not(await paper(), light);
  await page.reload();
  await page.getByRole('button', { name: /^Theme: dark/ }).waitFor();
  t.not(await paper(), light);
});

shown('first use, and Prometheus away and back', async (t, { open, prometheus }) => {
  const answers = prometheus.answer;
  prometheus.answer = (_request, response) => response.end('{"status":"success","data":{"result":[]}}');
  const page = await open('/');
  await page.getByText('No instance has been seen in this time').waitFor();
  await page.getByText('vp onboard').waitFor();
  prometheus.answer = (_request, response) => response.writeHead(503).end();
  const away = await open('/?range=1h');
  const status = away.getByRole('status');
  await status.getByText('docker compose -p platform-obs start prometheus').waitFor();
  t.match(await status.innerText(), /Prometheus has not answered.*\(for \d+ s\)/s);
  t.same(await seriousOf(away), []);
  prometheus.answer = answers;
  await away.getByRole('heading', { name: 'sign-prod' }).waitFor();
  t.equal(await status.innerText(), '', 'it mends itself');
});

const looks = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'light, 360 px wide', options: { colorScheme: 'light', viewport: { width: 360, height: 740 } } },
  { name: 'dark, 360 px wide', options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } } },
] as const;

shown('nothing serious on it, and nothing sticks out, in every look', async (t, { open }) => {
  for (const { name, options } of looks) {
    const page = await open('/', options);
    await page.getByRole('heading', { name: 'Flakiest scenarios' }).waitFor();
    t.same(await seriousOf(page), [], name);
    t.ok((await widerThanWindow(page)) <= 0, `${name}: nothing sticks out`);
  }
});

t.setTimeout(180_000);
