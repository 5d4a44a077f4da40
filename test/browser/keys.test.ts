import t from 'tap';
import { browserTest, instance, runCountWithKeyboard } from './browser-test.ts';

browserTest('the console can be used with the keyboard only', async (t, { owner }) => {
  const page = await owner();
  await runCountWithKeyboard(page);
  await page.keyboard.press('j');
  t.ok(
    await page
      .locator('[data-row]')
      .first()
      .evaluate((row) => row === document.activeElement),
  );
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'RT-COUNT passed' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('document 1');
  await page.getByText('1 line', { exact: true }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.waitForURL(`**/instances/${instance}/scenarios`);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  t.match(await page.evaluate(() => document.activeElement?.textContent), /RT-COUNT/);
  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await page.getByRole('heading', { name: 'Environments' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('r');
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
  const row = page.locator('.run-row').nth(25);
  const [id, before] = [await row.getAttribute('data-run'), await row.boundingBox()];
  await runAll();
  await page.getByRole('button', { name: '↑ Show 40 new runs' }).waitFor();
  const after = await page.locator(`[data-run="${id}"]`).boundingBox();
  t.ok(Math.abs((after?.y ?? 0) - (before?.y ?? 1)) < 1, 'the row has not moved');
  await page.getByRole('button', { name: '↑ Show 40 new runs' }).click();
  await page.getByRole('button', { name: '↑ Show 40 new runs' }).waitFor({ state: 'detached' });
  t.equal(await page.evaluate(() => scrollY), 0);
  await page.locator('.run-row.is-passed').nth(79).waitFor();
});

t.setTimeout(120_000);
