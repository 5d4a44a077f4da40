/** The time axis of a run whose target writes a log, with the pointer and with the keyboard alone. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createLogFolder } from '../logs/log-folder.ts';
import { callApi } from './acme-hub.ts';
import { findAppearanceProblems } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { createScenarioText } from './test-target.ts';
import { waitForCondition, waitForText, waitForValue } from './wait-for.ts';

let logFile = '';

/** The position of the mark on each track; the same on all of them. */
async function readMarks(page: Page): Promise<(string | null)[]> {
  const lines = page.locator('.timing-line');
  return lines.evaluateAll((all) => [...new Set(all.map((line) => line.getAttribute('x1')))]);
}

browserTest(
  'hovering a track, a row or pressing keys moves one mark on all tracks of a run',
  async (t, { owner, testTarget }) => {
    testTarget.onRequest = (id) => appendFileSync(logFile, `{"reqId":"${id}","msg":"accepted"}\n${id} stored\n`);
    const page = await owner();
    const text = createScenarioText('RT-LOG', '/documents', ['log lines>=2']);
    const layered = text.replace('Layer: HTTP Ingestion', 'Layer: HTTP Ingestion + Log');
    await callApi(page, 'PUT', `/instances/${instance}/scenarios/RT-LOG`, { text: layered });
    await page.goto(`/instances/${instance}/scenarios/RT-LOG`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('heading', { name: 'RT-LOG passed' }).waitFor();
    await page.getByRole('tab', { name: 'Timing' }).click();
    const [start] = await readMarks(page);
    await page.getByRole('row', { name: 'log lines' }).getByText('2 lines').waitFor();
    const slider = page.getByRole('slider', { name: 'Time in the run' });
    const moment = page.locator('.timing-moment');

    await page.getByRole('row', { name: 'log and database' }).locator('.timing-bar rect').hover();
    const hovered = await readMarks(page);
    t.equal(hovered.length, 1, 'all tracks have the same');
    t.not(hovered[0], start);
    await waitForText(t, moment, /^\+.* ms[\s\S]*log and database/);

    const row = page.locator('.timing-events li', { hasText: 'stored' });
    await row.hover();
    await waitForValue(t, () => row.getAttribute('aria-current'), 'true');
    await waitForText(t, moment, 'stored');
    const ofRow = await readMarks(page);
    t.equal(ofRow.length, 1);
    t.not(ofRow[0], hovered[0]);

    await slider.focus();
    await page.keyboard.press('Home');
    await waitForValue(t, () => readMarks(page), [start]);
    const texts: (string | null)[] = [];
    for (let count = 0; count < 8; count += 1) {
      texts.push(await slider.getAttribute('aria-valuetext'));
      await page.keyboard.press('ArrowRight');
    }
    t.match(texts[0], /^[−+].*(queued|connect)/);
    t.ok(
      texts.some((value) => /^\+.*accepted/.test(value ?? '')),
      texts.join('\n'),
    );
    t.ok(texts.some((value) => /first byte/.test(value ?? '')));
    const end = await readMarks(page);
    await page.keyboard.press('ArrowLeft');
    await waitForCondition(t, async () => (await readMarks(page))[0] !== end[0]);

    await page.getByRole('tab', { name: 'Log' }).click();
    await waitForText(t, page.locator('.log-lines li').first(), /^\+[\d.]+ (m?s)/);
    const { pathname } = new URL(page.url());
    t.same(await findAppearanceProblems(page, `${pathname}?tab=timing`, '.timing-events li'), []);
    t.same(await findAppearanceProblems(page, `${pathname}?tab=log`, '.log-lines li'), []);
  },
  async (t) => {
    logFile = join(createLogFolder(t), 'app.log');
    writeFileSync(logFile, '');
    return { args: ['--log', logFile] };
  },
);
