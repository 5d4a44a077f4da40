import t from 'tap';
import { instance, visit } from './visit.ts';

visit('runs arrive live, the failing one says which check and what came instead', async (t, { owner }) => {
  const page = await owner();
  await page.getByText('Nothing has run here yet').waitFor();
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  const failed = page.locator('[data-row]', { hasText: 'RT-MORE' });
  await failed.getByText('body has count equals 4: got 3').waitFor();
  await page.locator('[data-row].is-passed', { hasText: 'RT-COUNT' }).waitFor();
  t.equal(await page.locator('[data-row]').count(), 2);
});

visit('runs requested elsewhere appear by themselves, in two tabs by one stream', async (t, { owner, shop }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/runs`);
  const opened = page.waitForRequest((request) => request.url().includes('/events'));
  await page.reload();
  await opened;
  const second = await page.context().newPage();
  const streams: string[] = [];
  second.on('request', (request) => request.url().includes('/events') && streams.push('opened'));
  await second.goto(`/instances/${instance}/runs`);
  await second.getByText('Nothing has run here yet').waitFor();
  await second.getByRole('button', { name: 'Run…' }).click();
  await second.getByRole('checkbox', { name: /RT-SLOW/ }).check();
  await second.getByRole('button', { name: 'Run 1 scenario' }).click();
  await page.locator('[data-row].is-running').waitFor();
  shop.letGo();
  await page.locator('[data-row].is-passed').waitFor();
  await second.locator('[data-row].is-passed').waitFor();
  t.same(streams, [], 'the second tab shares the stream of the first');
  await page.close();
  await second.getByRole('button', { name: 'Run…' }).click();
  await second.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await second.getByRole('button', { name: 'Run 1 scenario' }).click();
  await second.locator('[data-row].is-passed', { hasText: 'RT-COUNT' }).waitFor();
  t.same(streams, ['opened'], 'the stream went over to the tab that is left');
});

visit('a failing run shows its check beside the value it judged', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios/RT-MORE`);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('status matched but the response body did not satisfy').waitFor();
  await page.getByRole('heading', { level: 1, name: 'RT-MORE failed' }).waitFor();
  await page.locator('.source-check.is-failed', { hasText: 'body has count equals 4' }).waitFor();
  const judged = page.locator('.line.is-failed', { hasText: '"count"' });
  await judged.getByText(/line \d+ wants/).waitFor();
  t.ok(await judged.evaluate((line) => line.classList.contains('is-chosen')), 'the failing check is chosen');
  await page.getByRole('button', { name: /body has data\[2\]\.id/ }).click();
  t.ok(await page.locator('.line.is-chosen', { hasText: '"id"' }).isVisible());
  t.match(page.url(), /check=\d+/);
  await judged.getByRole('button').click();
  t.match(await page.locator('.source-check[aria-current]').innerText(), /count equals 4/);
  await page.getByRole('searchbox', { name: 'Search in the body' }).fill('document 2');
  await page.getByText('1 line', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Request' }).click();
  await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
  await page.getByRole('tab', { name: 'Timing' }).click();
  await page.getByRole('rowheader', { name: 'first byte' }).waitFor();
});

visit('run again, then what changed since the run before', async (t, { owner, shop }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios/RT-COUNT`);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('heading', { name: 'RT-COUNT passed' }).waitFor();
  const first = page.url();
  shop.count = 2;
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByRole('heading', { name: 'RT-COUNT failed' }).waitFor();
  t.not(page.url(), first);
  await page.getByRole('button', { name: 'Compare with last passed' }).click();
  await page.getByText('passed (3) → failed (2)').waitFor();
  await page.locator('.diff-line.is-removed', { hasText: '"count": 3' }).waitFor();
  await page.getByRole('link', { name: '‹ Previous' }).click();
  await page.waitForURL(first);
  await page.getByRole('link', { name: 'Next ›' }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'RT-COUNT failed' }).waitFor();
});

visit('a running run and a waiting one are cancelled', async (t, { owner, shop }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios/RT-SLOW`);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('heading', { name: 'RT-SLOW running' }).waitFor();
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByRole('heading', { name: 'RT-SLOW queued' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'RT-SLOW cancelled' }).waitFor();
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: 'RT-SLOW running' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'RT-SLOW cancelled' }).waitFor();
  shop.letGo();
  t.pass('both have ended');
});

visit('filters stand in the address, and back works', async (t, { owner }) => {
  const page = await owner();
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('button', { name: /^Run all 3/ }).waitFor();
  await page.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  await page.locator('[data-row].is-failed').waitFor();
  await page.locator('[data-row].is-passed').waitFor();
  await page.getByRole('button', { name: /^failed/ }).click();
  await page.locator('[data-row].is-passed').waitFor({ state: 'detached' });
  await page.locator('[data-row].is-failed').waitFor();
  t.match(page.url(), /result=failed/);
  t.equal(await page.locator('[data-row]').count(), 1);
  await page.getByRole('button', { name: /^could not be judged/ }).click();
  await page.getByRole('button', { name: 'Show all runs' }).click();
  await page.locator('[data-row].is-passed').waitFor();
  await page.goBack();
  t.match(page.url(), /result=broken/);
});

visit('a control plane that goes away is told, and mends itself', async (t, { owner, stage, data, url, shop }) => {
  const page = await owner();
  await page.getByText('Nothing has run here yet').waitFor();
  await stage.processes.clear();
  await page.getByText('Not live.').waitFor();
  t.ok(shop.origin);
  const { port } = new URL(url);
  const folders = ['--product-dir', 'product', '--test-dir', 'test', '--instance', instance];
  const again = stage.vp(['serve', '--embedded', '--json', '--port', port, '--data', data, ...folders]);
  await again.said(/"event":"listening"/);
  await page.getByText('Not live.').waitFor({ state: 'detached' });
});

t.setTimeout(240_000);
