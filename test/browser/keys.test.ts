import { browserTest, instance, pressAtOnce, runCountWithKeyboard } from './browser-test.ts';
import { readOnce, waitForCondition, waitForMatch, waitForValue } from './wait-for.ts';

browserTest('the console can be used with the keyboard only', async (t, { owner }) => {
  const page = await owner();
  await runCountWithKeyboard(page);
  await page.keyboard.press('j');
  await waitForCondition(t, () =>
    page
      .locator('[data-row]')
      .first()
      .evaluate((row) => row === document.activeElement),
  );
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'RT-COUNT passed' }).waitFor();
  // Without a field, the key opens the palette.
  await page.locator('[data-search]').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('document 1');
  await page.getByText('1 line', { exact: true }).waitFor();
  await page.keyboard.press('Tab');
  await pressAtOnce(page, 'g', 's');
  await page.waitForURL(`**/instances/${instance}/scenarios`);
  await page.locator('[data-row]').nth(1).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await waitForMatch(t, () => page.evaluate(() => document.activeElement?.textContent), /RT-COUNT/);
  await pressAtOnce(page, 'g', 'e');
  await page.getByRole('heading', { name: 'Environments' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
  await pressAtOnce(page, 'g', 'r');
  await page.waitForURL(`**/instances/${instance}/runs`);
});

browserTest('runs that arrive while the list is paused wait, and nothing moves', async (t, { owner }) => {
  const page = await owner();
  const runAll = async (): Promise<void> => {
    await page.evaluate(async () => {
      const headers = { 'X-VP-Proof': localStorage.getItem('vp.proof') ?? '', 'content-type': 'application/json' };
      const scenarios = Array.from({ length: 40 }, () => ({ id: 'RT-COUNT' }));
      await fetch('/api/v1/instances/shop/runs', { method: 'POST', headers, body: JSON.stringify({ scenarios }) });
    });
  };
  await runAll();
  await page.locator('.run-row.is-passed').nth(39).waitFor();
  await page.mouse.wheel(0, 600);
  let lastY = 0;
  await waitForCondition(
    t,
    async () => {
      const previousY = lastY;
      lastY = await page.evaluate(() => scrollY);
      return lastY > 0 && lastY === previousY;
    },
    'the page has come to a stop',
  );
  const row = page.locator('.run-row').nth(25);
  const [id, before] = [await row.getAttribute('data-run'), await row.boundingBox()];
  await runAll();
  await page.getByRole('button', { name: '↑ Show 40 new runs' }).waitFor();
  const after = await readOnce('the new runs wait', () => page.locator(`[data-run="${id}"]`).boundingBox());
  t.ok(Math.abs((after?.y ?? 0) - (before?.y ?? 1)) < 1, 'the row has not moved');
  await page.getByRole('button', { name: '↑ Show 40 new runs' }).click();
  await page.getByRole('button', { name: '↑ Show 40 new runs' }).waitFor({ state: 'detached' });
  await waitForValue(t, () => page.evaluate(() => scrollY), 0);
  await page.locator('.run-row.is-passed').nth(79).waitFor();
});
