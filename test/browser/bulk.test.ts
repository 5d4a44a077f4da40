import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { findSeriousViolations, findUnreachableControls } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { findProblemsAsDisplayed, saveScreenshot } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForCount, waitForText, waitForValue } from './wait-for.ts';

const runs = `/instances/${instance}/runs`;
const countSelected = (page: Page): Promise<number> => page.locator('tr.is-selected').count();

async function request(page: Page, ...ids: readonly string[]): Promise<void> {
  await callApi(page, 'POST', `/instances/${instance}/runs`, { scenarios: ids.map((id) => ({ id })), suite: false });
}

browserTest(
  'runs are selected, run again and exported by keyboard, and the result is announced',
  async (t, { owner }) => {
    const page = await owner();
    await request(page, 'RT-COUNT', 'RT-MORE', 'RT-COUNT');
    const rows = page.locator('.run-row');
    await rows.nth(2).waitFor();
    await page.reload();
    await rows.nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await waitForValue(t, () => countSelected(page), 1);
    await page.getByText('1 run selected. Press a for the actions, Escape to clear.').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await waitForValue(t, () => countSelected(page), 3, 'the rows between are selected too');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await waitForValue(t, () => countSelected(page), 2, 'x takes a row out again');
    await waitForValue(
      t,
      () => page.getByRole('checkbox', { name: /Select all/ }).evaluate((box: HTMLInputElement) => box.indeterminate),
      true,
    );
    t.same(await findProblemsAsDisplayed(page), []);
    await page.keyboard.press('Escape');
    await waitForValue(t, () => countSelected(page), 0);
    await waitForCount(t, page.getByRole('region', { name: 'Selected' }), 0);

    await page.getByRole('checkbox', { name: /Select all 3 shown/ }).focus();
    await page.keyboard.press('Space');
    await waitForValue(t, () => countSelected(page), 3);
    await page.keyboard.press('a');
    await waitForValue(t, () => page.evaluate(() => document.activeElement?.textContent), 'Run 2 scenarios again');
    await page.keyboard.press('Enter');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('3 runs requested again.').waitFor();
    await waitForValue(
      t,
      () => result.evaluate((element) => element === document.activeElement),
      true,
      'the result has the focus',
    );
    await waitForValue(t, () => countSelected(page), 0, 'what is done is not selected any more');
    await rows.nth(4).waitFor();
    await waitForCount(t, rows, 5, 'each scenario once');
    await result.getByRole('link', { name: 'Show the suite' }).waitFor();
    t.same(await findProblemsAsDisplayed(page), []);

    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    t.equal(file.suggestedFilename(), `runs-${instance}.json`);
    const exported = JSON.parse(readFileSync((await file.path()) ?? '', 'utf8'));
    t.match(exported.runs, [{ state: String, report: { checks: Array } }]);
    await result.getByText('1 run exported.').waitFor();
  },
);

browserTest(
  'queued runs are cancelled, and one that has ended meanwhile is named with the reason',
  async (t, context) => {
    const page = await context.owner();
    await request(page, 'RT-SLOW', 'RT-COUNT', 'RT-MORE');
    await page.goto(`${runs}?result=queued`);
    const rows = page.locator('.runs-layout .run-row');
    await rows.nth(1).waitFor();
    await page.getByRole('checkbox', { name: /Select run .* of RT-COUNT/ }).check();
    await page.getByRole('checkbox', { name: /Select run .* of RT-MORE/ }).click({ modifiers: ['Shift'] });
    await waitForValue(t, () => countSelected(page), 2);
    for (const height of [240, 270, 300, 330, 360, 390]) {
      await page.setViewportSize({ width: 1280, height });
      t.same(await findUnreachableControls(page), [], 'the bar hides no row that has the focus');
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    // Another one cancels it, and this page does not know yet.
    const id = (await rows.first().getAttribute('data-run')) ?? '';
    await page.route('**/api/v1/events*', (route) => route.abort());
    await page.route(`**/api/v1/runs/${id}/cancel`, async (route) => {
      await callApi(page.context().pages()[0] ?? page, 'POST', `/runs/${id}/cancel?`, undefined).catch(() => undefined);
      await route.continue();
    });
    await page.getByRole('button', { name: 'Cancel 2 runs' }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('1 of 2 runs cancelled.').waitFor();
    await waitForText(t, result, /has already ended: cancelled/);
    t.same(await findSeriousViolations(page), []);
    await saveScreenshot(page, 'partial result');
    await page.goto(`${runs}?result=running`);
    await page.getByRole('checkbox', { name: /Select run .* of RT-SLOW/ }).check();
    await page.getByRole('button', { name: 'Cancel 1 run' }).click();
    await result.getByText('1 run cancelled or told to stop.').waitFor();
    await waitForText(t, result, /RT-SLOW is running, and was told to stop/);
    context.testTarget.releaseSlow();
  },
);

browserTest('runs of the unfolded queue are selected and cancelled beside the list', async (t, context) => {
  const page = await context.owner();
  await request(page, 'RT-SLOW', 'RT-COUNT', 'RT-MORE', 'RT-COUNT');
  await page.goto(runs);
  const strip = page.getByRole('region', { name: 'Running and queued' });
  await strip.getByRole('button', { name: '3 queued runs' }).click();
  await page.getByText('No run has ended yet.').waitFor();
  const boxes = strip.getByRole('checkbox', { name: /Select run .* of RT-COUNT/ });
  await boxes.nth(1).waitFor();
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await waitForValue(t, () => countSelected(page), 2);
  t.same(await findProblemsAsDisplayed(page), []);
  await strip.getByRole('button', { name: 'Cancel 2 runs' }).click();
  await strip.getByRole('region', { name: 'Result' }).getByText('2 runs cancelled.').waitFor();
  await strip.getByRole('button', { name: '1 queued run' }).waitFor();
  await waitForCount(t, page.locator('.runs-layout .run-row.is-cancelled'), 2);
  t.same(await findProblemsAsDisplayed(page), []);
  context.testTarget.releaseSlow();
});

browserTest('scenarios are run, put in quarantine, deleted and restored together', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios`);
  const table = page.locator('.scenario-table');
  await table.getByRole('link', { name: /RT-COUNT/ }).waitFor();
  const select = async (): Promise<void> => {
    for (const id of ['RT-COUNT', 'RT-MORE'])
      await page.getByRole('checkbox', { name: `Select ${id}`, exact: true }).check();
  };
  await select();
  t.same(await findProblemsAsDisplayed(page), []);
  await page.getByRole('button', { name: 'Quarantine…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Put 2 scenarios in quarantine' });
  await dialog.getByLabel('Reason').fill('the index is rebuilt');
  await dialog.getByRole('button', { name: 'Put in quarantine' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('2 scenarios put in quarantine.').waitFor();
  await select();
  await page.getByRole('button', { name: 'Release 2' }).click();
  await result.getByText('2 scenarios released.').waitFor();
  await select();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  await result.getByText('2 scenarios requested.').waitFor();
  await select();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const confirm = page.getByRole('dialog', { name: 'Delete 2 scenarios' });
  await waitForText(t, confirm, /RT-COUNT\s+RT-MORE/);
  t.same(await findSeriousViolations(page), []);
  await saveScreenshot(page, 'delete dialog');
  // A change of someone else in the meantime: the scenario is not deleted.
  const changed = `/instances/${instance}/scenarios/RT-MORE`;
  const { text } = await callApi<{ text: string }>(page, 'GET', changed);
  await callApi(page, 'PUT', changed, { text: text.replace('Tags: smoke', 'Tags: smoke, changed') });
  await confirm.getByRole('button', { name: 'Delete 2 scenarios' }).click();
  await result.getByText('1 of 2 scenarios deleted.').waitFor();
  await waitForText(t, result, /RT-MORE .*was changed in the meantime/);
  await table.getByRole('link', { name: /RT-COUNT/ }).waitFor({ state: 'detached' });
  await saveScreenshot(page, 'partial deletion');
  await result.getByRole('button', { name: 'Undo' }).click();
  await result.getByText('1 scenario restored.').waitFor();
  await table.getByRole('link', { name: /RT-COUNT/ }).waitFor();
  await select();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await confirm.getByRole('button', { name: 'Delete 2 scenarios' }).click();
  await result.getByText('2 scenarios deleted.').waitFor();
  await page.getByRole('button', { name: 'Deleted' }).click();
  await select();
  t.same(await findProblemsAsDisplayed(page), []);
  await page.getByRole('button', { name: 'Restore 2 scenarios' }).click();
  await result.getByText('2 scenarios restored.').waitFor();
});

browserTest('failures are resolved and assigned together, and that is undone', async (t, { owner, testTarget }) => {
  const page = await owner();
  testTarget.count = 5;
  await request(page, 'RT-COUNT', 'RT-MORE');
  await page.goto(`/instances/${instance}`);
  const rows = page.locator('.attention tbody tr');
  await rows.nth(1).waitFor();
  await page.getByRole('checkbox', { name: 'Select all 2 shown' }).check();
  t.same(await findProblemsAsDisplayed(page), []);
  await page.getByRole('button', { name: 'Assign to me' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('2 failures assigned to Ana Lopes.').waitFor();
  await page.getByRole('cell', { name: 'Ana Lopes' }).nth(1).waitFor();
  await page.getByRole('button', { name: 'Assign…' }).click();
  await page.getByRole('dialog', { name: 'Assign 2 failures' }).getByLabel('Assigned to').fill('search team');
  await page.keyboard.press('Enter');
  await result.getByText('2 failures assigned to search team.').waitFor();
  await page.getByRole('button', { name: 'Resolve 2 failures' }).click();
  await result.getByText('2 failures resolved.').waitFor();
  await page.getByText('No open failure.').waitFor();
  await result.getByRole('button', { name: 'Undo' }).click();
  await result.getByText('2 failures changed back.').waitFor();
  await rows.nth(1).waitFor();
});
