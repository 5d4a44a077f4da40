import { measureOverflow } from './accessibility.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForCondition, waitForCount, waitForMatch, waitForText } from './wait-for.ts';

browserTest('runs appear live, and the failed one shows its check and the actual value', async (t, { owner }) => {
  const page = await owner();
  await page.getByText('No runs yet').waitFor();
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  const failed = page.locator('.run-row', { hasText: 'RT-MORE' });
  await failed.getByText('body has count equals 4: got 3').waitFor();
  await page.locator('.run-row.is-passed', { hasText: 'RT-COUNT' }).waitFor();
  await waitForCount(t, page.locator('[data-row]'), 2);
});

browserTest(
  'runs requested elsewhere appear automatically, in two tabs with one stream',
  async (t, { owner, testTarget }) => {
    const page = await owner();
    await page.goto(`/instances/${instance}/runs`);
    const opened = page.waitForRequest((request) => request.url().includes('/events'));
    await page.reload();
    await opened;
    const second = await page.context().newPage();
    const streams: string[] = [];
    second.on('request', (request) => request.url().includes('/events') && streams.push('opened'));
    await second.goto(`/instances/${instance}/runs`);
    await second.getByText('No runs yet').waitFor();
    await second.getByRole('button', { name: 'Run…' }).click();
    await second.getByRole('checkbox', { name: /RT-SLOW/ }).check();
    await second.getByRole('button', { name: 'Run 1 scenario' }).click();
    await page.locator('.is-running[data-run]').waitFor();
    testTarget.releaseSlow();
    await page.locator('.run-row.is-passed').waitFor();
    await second.locator('.run-row.is-passed').waitFor();
    t.same(streams, [], 'the second tab shares the stream of the first');
    await page.close();
    await second.getByRole('button', { name: 'Run…' }).click();
    await second.getByRole('checkbox', { name: /RT-COUNT/ }).check();
    await second.getByRole('button', { name: 'Run 1 scenario' }).click();
    await second.locator('.run-row.is-passed', { hasText: 'RT-COUNT' }).waitFor();
    t.same(streams, ['opened'], 'the remaining tab opened the stream');
  },
);

browserTest('a failed run shows its check next to the judged value', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios/RT-MORE`);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('status matched but the response body did not satisfy').waitFor();
  await page.getByRole('heading', { level: 1, name: 'RT-MORE failed' }).waitFor();
  await page.locator('.source-check.is-failed', { hasText: 'body has count equals 4' }).waitFor();
  const judged = page.locator('.line.is-failed', { hasText: '"count"' });
  await judged.getByText(/line \d+ expects/).waitFor();
  await waitForCondition(
    t,
    () => judged.evaluate((line) => line.classList.contains('is-selected')),
    'the failed check is selected',
  );
  await page.getByRole('button', { name: /body has data\[2\]\.id/ }).click();
  await waitForCondition(t, () => page.locator('.line.is-selected', { hasText: '"id"' }).isVisible());
  await waitForMatch(t, () => page.url(), /check=\d+/);
  await judged.getByRole('button').click();
  await waitForText(t, page.locator('.source-check[aria-current]'), /count equals 4/);
  await page.getByRole('searchbox', { name: 'Search in the body' }).fill('document 2');
  await page.getByText('1 line', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Request' }).click();
  await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
  await page.getByRole('tab', { name: 'Timing' }).click();
  await page.getByRole('rowheader', { name: 'first byte' }).waitFor();
});

browserTest('run again, then compare with the previous run', async (t, { owner, testTarget }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios/RT-COUNT`);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('heading', { name: 'RT-COUNT passed' }).waitFor();
  const first = page.url();
  testTarget.count = 2;
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByRole('heading', { name: 'RT-COUNT failed' }).waitFor();
  await waitForCondition(t, () => page.url() !== first);
  await page.getByRole('button', { name: 'Compare with last passed' }).click();
  await page.getByText('passed (3) → failed (2)').waitFor();
  await page.locator('.diff-line.is-removed', { hasText: '"count": 3' }).waitFor();
  await page.getByRole('link', { name: '‹ Previous' }).click();
  await page.waitForURL(first);
  await page.getByRole('link', { name: 'Next ›' }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'RT-COUNT failed' }).waitFor();
});

browserTest('a running and a queued run are cancelled', async (t, { owner, testTarget }) => {
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
  testTarget.releaseSlow();
  t.pass('both have ended');
});

browserTest('filters are part of the address, and going back works', async (t, { owner }) => {
  const page = await owner();
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('button', { name: /^Run all 3/ }).waitFor();
  await page.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  await page.locator('.run-row.is-failed').waitFor();
  await page.locator('.run-row.is-passed').waitFor();
  await page.getByRole('button', { name: /^failed/ }).click();
  await page.locator('.run-row.is-passed').waitFor({ state: 'detached' });
  await page.locator('.run-row.is-failed').waitFor();
  await waitForMatch(t, () => page.url(), /result=failed/);
  await waitForCount(t, page.locator('[data-row]'), 1);
  await page.getByRole('button', { name: /^could not be judged/ }).click();
  await page.getByRole('button', { name: 'Show all runs' }).click();
  await page.locator('.run-row.is-passed').waitFor();
  await page.goBack();
  await waitForMatch(t, () => page.url(), /result=broken/);
});

browserTest(
  'a lost connection is reported, and recovers automatically',
  async (t, { owner, stage, data, url, testTarget }) => {
    const page = await owner();
    await page.getByText('No runs yet').waitFor();
    await stage.processes.clear();
    await page.getByText('Connection lost.').waitFor();
    t.ok(testTarget.origin);
    const { port } = new URL(url);
    const folders = ['--product-dir', 'product', '--test-dir', 'test', '--instance', instance];
    const restarted = stage.vp(['serve', '--embedded', '--json', '--port', port, '--data', data, ...folders]);
    await restarted.waitForOutput(/"event":"listening"/);
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
  },
);

browserTest('a failed run is copied for an agent, with its check, its scenario and its ids', async (t, { owner }) => {
  const page = await owner();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 1 scenario' }).click();
  await page.locator('.run-row', { hasText: 'RT-MORE' }).getByText('got 3').waitFor();
  await page.locator('.run-row a').first().click();
  await page.getByRole('button', { name: 'Copy for an agent' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  t.match(text, /^A verification run/);
  t.match(text, 'body has count equals 4');
  t.match(text, '## TRIGGER');
  t.match(text, '`vp runs show ');
});

browserTest('runs and the catalogue fit wide and narrow windows', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios/RT-MORE`);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('heading', { level: 1, name: 'RT-MORE failed' }).waitFor();
  const duration = page.locator('.run-row .run-duration');
  for (const width of [1440, 1280, 1201, 1200, 1024, 1001, 900]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`/instances/${instance}/scenarios`);
    await page.locator('[data-row]').first().waitFor();
    t.ok((await measureOverflow(page)) <= 0, `the catalogue at ${width} px`);
    await page.goto(`/instances/${instance}/runs`);
    await duration.waitFor();
    await duration.evaluate((cell) => {
      cell.innerHTML = '141 ms <span class="faint">+ 312 ms</span>';
    });
    t.ok((await measureOverflow(page)) <= 0, `runs at ${width} px`);
    const hidden = await duration.evaluate((cell) => cell.scrollWidth - cell.clientWidth);
    t.equal(hidden, 0, `the duration at ${width} px`);
    const result = await page.locator('.run-row .run-summary').evaluate((cell) => cell.clientWidth);
    t.ok(result >= 100, `the result at ${width} px: ${result} px`);
  }
});
