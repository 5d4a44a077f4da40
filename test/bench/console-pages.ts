/**
 * Pages of the console before the history of one environment with 1,000,000 runs, against the same environment with 100: in
 * Chromium from a click until the list is painted, and the same for pages that are opened in a browser with an empty cache. Each
 * row says what else a visit cost: the slow visits, requests, what they carried, and processor time. `VP_BENCH_PAGES` is a pattern
 * of the names of pages, for some of them only.
 */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openChromium } from '../browser/chromium.ts';
import type { BenchContext } from './bench-context.ts';
import { createOwnerPage } from './console.ts';
import { inTurns, median, quantile, series } from './measure.ts';
import { listMeasuredPages } from './measured-pages.ts';
import { addClock, type MeasuredPage, openAnew, type Visit, visitByClick } from './page-visits.ts';
import { type Plane, startPlane } from './plane.ts';
import { type Row, under } from './row.ts';
import { copyVariedFolder, variedInstance } from './varied-plane.ts';

const maxPageMs = 100;
const fewRuns = 100;

type OpenedPlane = {
  readonly plane: Plane;
  readonly page: Page;
  readonly state: Awaited<ReturnType<BrowserContext['storageState']>>;
  readonly pages: readonly MeasuredPage[];
};

async function openPlane(context: BenchContext, browser: Browser, runs: number): Promise<OpenedPlane> {
  const plane = await startPlane(context, await copyVariedFolder(context, runs));
  const [failed] = (
    await plane.client.runs.list({ instance: variedInstance, states: ['failed'], limit: 2 })
  ).items.slice(1);
  const [suite] = (await plane.client.suites.list(variedInstance, { limit: 1 })).items;
  if (!failed || !suite) throw new Error('there is no failed run, or no suite');
  const selected = new RegExp(process.env.VP_BENCH_PAGES ?? '');
  const all = listMeasuredPages({ instance: variedInstance, failedRun: failed.run_id, suite: suite.suite_id });
  // The first owner ends the key of the setup.
  const page = await createOwnerPage(browser, plane, readFileSync(`${plane.data}/setup-link.txt`, 'utf8').trim());
  await addClock(page.context());
  const pages = all.filter(({ name }) => selected.test(name));
  return { plane, page, state: await page.context().storageState(), pages };
}

const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });

function describeVisits(visits: readonly Visit[], few: readonly Visit[]): string {
  const middle = (all: readonly Visit[], name: keyof Visit): string => number(median(all.map((visit) => visit[name])));
  const slow = number(
    quantile(
      visits.map(({ ms }) => ms),
      0.95,
    ),
  );
  return `p95 ${slow} ms; ${middle(visits, 'requests')} requests, ${middle(visits, 'kb')} kB, ${middle(visits, 'serverMs')} ms of processor time of the server (${middle(few, 'serverMs')}), ${middle(visits, 'pageMs')} of the page (${middle(few, 'pageMs')})`;
}

type Samples = { readonly samples: readonly Visit[] };

function toRow(name: string, many: Samples, few: Samples): Row {
  const floor = { what: `${fewRuns} runs`, value: median(few.samples.map(({ ms }) => ms)) };
  const value = median(many.samples.map(({ ms }) => ms));
  process.stderr.write(
    `\n${name}: ${number(value)} (${number(floor.value)}); ${describeVisits(many.samples, few.samples)}`,
  );
  const measured = `${name}, p50 (${describeVisits(many.samples, few.samples)})`;
  return under({ measured, value, unit: 'ms', floor }, maxPageMs);
}

async function measurePages(
  browser: Browser,
  planes: readonly [OpenedPlane, OpenedPlane],
  rounds: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [index, { name }] of planes[0].pages.entries()) {
    const measure = (visit: (plane: OpenedPlane, measured: MeasuredPage) => Promise<Visit>) =>
      planes.map((opened) =>
        series(() => {
          const measured = opened.pages[index];
          if (!measured) throw new Error('the planes have different pages');
          return visit(opened, measured);
        }),
      );
    const clicks = measure(({ page, plane }, measured) => visitByClick(page, plane.service, measured));
    const loads = measure(({ plane, state }, measured) => openAnew(browser, plane.service, state, measured));
    await inTurns(rounds, clicks, 1);
    await inTurns(Math.ceil(rounds / 2), loads, 1);
    for (const [text, [many, few]] of [
      [`${name}: click to list`, clicks],
      [`${name}: opened anew`, loads],
    ] as const) {
      if (!many || !few) throw new Error('nothing was measured');
      rows.push(toRow(text, many, few));
    }
  }
  return rows;
}

/** The least that Chromium needs for an answer of this server. */
async function measureEmptyPage(browser: Browser, { plane, state }: OpenedPlane, rounds: number): Promise<Row> {
  const loads = series(() => openAnew(browser, plane.service, state, { path: '/healthz', selector: 'body' }));
  await inTurns(rounds, [loads], 2);
  const value = median(loads.samples.map(({ ms }) => ms));
  return { measured: '`/healthz` opened anew, p50: the floor of pages opened anew', value, unit: 'ms' };
}

export async function consolePages(context: BenchContext): Promise<Row[]> {
  const stored = context.quick ? 50_000 : 1_000_000;
  const browser = await openChromium({ isWhole: true });
  const planes: OpenedPlane[] = [];
  try {
    for (const runs of [stored, fewRuns]) planes.push(await openPlane(context, browser, runs));
    const [many, few] = planes;
    if (!many || !few) throw new Error('the control planes do not run');
    const rounds = context.quick ? 3 : 9;
    const empty = await measureEmptyPage(browser, many, rounds);
    const rows = await measurePages(browser, [many, few], rounds);
    return [
      empty,
      ...rows.map((row) => ({ ...row, measured: `${stored.toLocaleString('en')} runs, ${row.measured}` })),
    ];
  } finally {
    await browser.close();
    for (const { plane } of planes) await plane.service.stop();
  }
}
