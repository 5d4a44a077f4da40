/** One job from end to end with the keyboard alone: a failure is found, assigned, put in quarantine, run again and compared. */
import type { Page } from 'playwright-core';
import { ana, browserTest, instance, pressAtOnce } from './browser-test.ts';
import { waitForText } from './wait-for.ts';

const maxTabs = 80;

/** Presses Tab until the control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let count = 0; count < maxTabs; count += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLElement> };
      return element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent ?? '';
    });
    if (focused.trim().startsWith(name)) return;
  }
  throw new Error(`${name} is not reached with Tab`);
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

async function runScenario(page: Page, result: 'passed' | 'failed'): Promise<void> {
  await press(page, 'r');
  await page.getByRole('dialog').getByRole('searchbox').waitFor();
  await page.keyboard.type('count');
  await page.getByRole('button', { name: 'Run all 1 scenario' }).waitFor();
  await press(page, 'Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator(`.run-row.is-${result}`).waitFor();
}

browserTest(
  'a failure is found, assigned, muted, run again and compared with the keyboard only',
  async (t, context) => {
    const { owner, testTarget } = context;
    const page = await owner();
    await page.getByText('No runs yet').waitFor();
    await runScenario(page, 'passed');
    testTarget.count = 4;
    await runScenario(page, 'failed');

    await press(page, 'Control+k');
    await page.getByRole('dialog').getByRole('combobox').waitFor();
    await page.keyboard.type(`needs a look ${instance}`);
    await press(page, 'Enter');
    await page.getByRole('heading', { name: 'What needs a look' }).waitFor();
    await page.locator('.landing [data-row]').first().waitFor();
    await press(page, 'j', 'Enter');
    await page.waitForURL('**/failures/*');
    await page.getByRole('button', { name: 'Assign to me' }).waitFor();
    await tabTo(page, 'Assign to me');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Assign to me' }).waitFor({ state: 'detached' });
    await waitForText(t, page.locator('main'), new RegExp(`Assigned to\\s+${ana.name}`));

    await pressAtOnce(page, 'g', 'r');
    await page.locator('.run-row.is-failed').waitFor();
    await press(page, 'j', 'x', 'a');
    await tabTo(page, 'Quarantine…');
    await press(page, 'Enter');
    const dialog = page.getByRole('dialog', { name: /quarantine/ });
    await dialog.waitFor();
    await tabTo(page, 'Reason');
    await page.keyboard.type('the index is rebuilt');
    await tabTo(page, 'Put in quarantine');
    await press(page, 'Enter');
    await dialog.waitFor({ state: 'detached' });

    // The outcome takes the focus when it appears.
    await page.locator('.bulk-outcome:focus').waitFor();
    await press(page, 'Escape', 'j', 'Enter');
    await page.getByRole('heading', { name: 'RT-COUNT failed' }).waitFor();
    const firstRun = page.url();
    await press(page, 'r');
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && url.href !== firstRun);
    await page.getByText('This failure does not count: the scenario was in quarantine until').waitFor();
    await tabTo(page, 'Compare with last passed');
    await press(page, 'Enter');
    await page.getByRole('tab', { name: 'Compare', selected: true }).waitFor();
    await waitForText(t, page.getByRole('tabpanel'), /count/);
  },
);
