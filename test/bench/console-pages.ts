/**
 * Pages of the console before the history of one environment with 1,000,000 runs, against the same environment with few: from
 * a click in an open console until the first row is there, in Chromium, and the same for a page that is opened anew. Answers
 * are not cached: the click is the first one after loading the console on another page.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../browser/chromium.ts';
import type { BenchContext } from './bench-context.ts';
import { createOwnerPage } from './console.ts';
import { fillVariedStore, rareText, toVariedId, variedScenarios } from './fill-varied.ts';
import { inTurns, median, quantile, series } from './measure.ts';
import { addInstance, idAt, type Plane, runScenario, startExecutor, startPlane } from './plane.ts';
import { type Row, under } from './row.ts';

const instance = 'bench';
const maxNavigationMs = 100;
const restMs = 300;
const fewRuns = 2 * variedScenarios;

type MeasuredPage = { readonly name: string; readonly path: string; readonly selector: string };

const runsPage = (name: string, query: string, selector = '[data-row]'): MeasuredPage => ({
  name: `runs, ${name}`,
  path: `/instances/${instance}/runs${query}`,
  selector,
});
const find = (text: string): string => `?find=${encodeURIComponent(text)}`;
// With few runs it is found; with many, the page says up to where it has searched.
const searched = '[data-row], .list-end [role=status]';

/** `failure` is the id of one. */
function listPages(failure: string): readonly MeasuredPage[] {
  const base = `/instances/${instance}`;
  return [
    { name: 'what needs a look', path: base, selector: '[data-row]' },
    runsPage('newest', ''),
    runsPage('of one scenario', `?scenario=${toVariedId(7)}`),
    runsPage('that failed', '?result=failed'),
    runsPage('that could not be judged', '?result=broken', '.empty'),
    runsPage('of the last hour', '?since=1h'),
    runsPage('by a text that many have', find('verified')),
    runsPage('by a text of failures', find('"got 3"')),
    runsPage('by a text that one old run has', find(`"${rareText}"`), searched),
    runsPage('by tag and text', find('tag:smoke "got 3"')),
    runsPage('by owner', find('owner:"team 3"')),
    runsPage('by version', find('version:2.0')),
    runsPage('by version and text', find('version:2.0 "got 3"')),
    runsPage('by a path that none has', find('path:/none'), '.empty'),
    { name: 'a failure', path: `${base}/failures/${failure}`, selector: '[data-row]' },
    { name: 'suites', path: `${base}/suites`, selector: '[data-row]' },
    { name: 'scenarios with their results', path: `${base}/scenarios`, selector: '.scenario-result a' },
    { name: 'health', path: `${base}/health`, selector: '[data-row]' },
    { name: 'comparison of two versions', path: `${base}/compare`, selector: 'main table, main .empty' },
  ];
}

/** A folder with the environment; the control plane on it is stopped. */
async function fill(context: BenchContext, stored: number): Promise<string> {
  const plane = await startPlane(context);
  const key = await addInstance(plane, instance);
  const executor = await startExecutor(context, plane, key, context.fresh('executor'));
  await runScenario(plane, instance, idAt(0));
  await executor.stop();
  await plane.service.stop();
  fillVariedStore(plane.data, instance, stored);
  return plane.data;
}

/** Milliseconds from the change of the address until the selector is there and a frame was drawn. */
function navigate(page: Page, { path, selector }: MeasuredPage): Promise<number> {
  return page.evaluate(
    ({ path, selector }) =>
      new Promise<number>((resolve) => {
        const startMs = performance.now();
        const end = (): void => {
          if (!document.querySelector(selector)) return;
          observer.disconnect();
          requestAnimationFrame(() => resolve(performance.now() - startMs));
        };
        const observer = new MutationObserver(end);
        observer.observe(document.body, { childList: true, subtree: true });
        history.pushState(null, '', path);
      }),
    { path, selector },
  );
}

/** The console is loaded on a page without rows; its cache is empty then. */
async function measureNavigation(page: Page, measured: MeasuredPage): Promise<number> {
  await page.goto('/settings/environments');
  await page.getByRole('heading', { name: 'Environments' }).first().waitFor();
  // The stream of changes never ends, so that no state of the page says that it is at rest.
  await sleep(restMs);
  return navigate(page, measured);
}

async function measureLoad(page: Page, { path, selector }: MeasuredPage): Promise<number> {
  const startMs = performance.now();
  await page.goto(path);
  await page.locator(selector).first().waitFor();
  return performance.now() - startMs;
}

async function openPlane(context: BenchContext, browser: Browser, folder: string) {
  const plane = await startPlane(context, folder);
  const page = await createOwnerPage(browser, plane, readFileSync(`${folder}/setup-link.txt`, 'utf8').trim());
  return { plane, page };
}

export async function consolePages(context: BenchContext): Promise<Row[]> {
  const stored = context.quick ? 50_000 : 1_000_000;
  const folders = [await fill(context, stored), await fill(context, fewRuns)];
  const browser = await openChromium();
  const opened: { plane: Plane; page: Page }[] = [];
  try {
    for (const folder of folders) opened.push(await openPlane(context, browser, folder));
    const rows: Row[] = [];
    for (const measured of listPages((1).toString(16).padStart(16, '0'))) {
      const all = opened.map(({ page }) => series(() => measureNavigation(page, measured)));
      await inTurns(context.quick ? 3 : 9, all, 1);
      const [many, few] = all.map(({ samples }) => samples);
      if (!many || !few) throw new Error('nothing was measured');
      const name = `${stored.toLocaleString('en')} runs, from a click to the first row, p50: ${measured.name}`;
      const floor = { what: `${fewRuns} runs`, value: median(few) };
      rows.push(under({ measured: name, value: median(many), unit: 'ms', floor }, maxNavigationMs));
      process.stderr.write(
        `${measured.name} ${quantile(many, 0.5).toFixed(0)} (${quantile(few, 0.5).toFixed(0)}) ms; `,
      );
    }
    const [first] = listPages('');
    if (!first) throw new Error('there is no page');
    const loads = opened.map(({ page }) => series(() => measureLoad(page, first)));
    await inTurns(context.quick ? 3 : 9, loads, 1);
    const [many = Number.NaN, few = Number.NaN] = loads.map(({ samples }) => median(samples));
    const floor = { what: `${fewRuns} runs`, value: few };
    return [...rows, { measured: `the same, ${first.name}, opened anew, p50`, value: many, unit: 'ms', floor }];
  } finally {
    await browser.close();
    for (const { plane } of opened) await plane.service.stop();
  }
}
