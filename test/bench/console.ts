/**
 * The console before many runs and many people: the time until the first row of a page of runs is there in a browser, with
 * 1,000,000 runs stored against a few (the server's own time for that page is in `stored-runs`); and 200 open live pages
 * while 300 runs a second arrive, against the same without pages. The live pages are programs that read the same streams
 * as pages do.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../browser/chromium.ts';
import type { BenchContext } from './bench-context.ts';
import { fillStore } from './fill-store.ts';
import { inTurns, median, quantile, series, timed } from './measure.ts';
import { addInstance, idAt, type Plane, runScenario, startExecutor, startPlane } from './plane.ts';
import { type Row, under } from './row.ts';

const instance = 'bench';
const livePages = 200;
const runsASecond = 300;
/** Asked for in so many requests a second. */
const requestsASecond = 20;

/** Rows of both measurements. */
export async function consoleRows(context: BenchContext): Promise<Row[]> {
  return [...(await firstRow(context)), ...(await live(context))];
}

/** A folder with some real runs, and `stored` copies of them; the control plane on it is stopped. */
async function filled(context: BenchContext, stored: number): Promise<string> {
  const plane = await startPlane(context);
  const key = await addInstance(plane, instance);
  const executor = await startExecutor(context, plane, key, context.fresh('executor'));
  for (let index = 0; index < 50; index += 1) await runScenario(plane, instance, idAt(index));
  await executor.stop();
  await plane.service.stop();
  if (stored > 0) fillStore(plane.data, instance, stored);
  return plane.data;
}

const person = { name: 'Ana', email: 'ana@example.com', password: 'seven brown otters swim' };

/** A page of somebody signed in, in a browser of its own. */
export async function createOwnerPage(browser: Browser, plane: Plane, link: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: plane.url });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel('Your name').fill(person.name);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Create the first owner' }).click();
  await page.locator('[data-row]').first().waitFor();
  return page;
}

async function firstRow(context: BenchContext): Promise<Row[]> {
  const stored = context.quick ? 50_000 : 1_000_000;
  const folders = [await filled(context, stored), await filled(context, 0)];
  const planes: Plane[] = [];
  const browser = await openChromium({ isWhole: true });
  try {
    const all = [];
    for (const folder of folders) {
      const plane = await startPlane(context, folder);
      planes.push(plane);
      const page = await createOwnerPage(browser, plane, readFileSync(`${folder}/setup-link.txt`, 'utf8').trim());
      const show = async (): Promise<void> => {
        await page.goto(`/instances/${instance}/runs`);
        await page.locator('[data-row]').first().waitFor();
      };
      all.push(series(() => timed(show)));
    }
    await inTurns(context.quick ? 5 : 30, all, 3);
    const [many, few] = all.map(({ samples }) => median(samples));
    const floor = { what: 'few runs', value: few ?? Number.NaN };
    const measured = `${stored.toLocaleString('en')} stored runs: page of runs in Chromium until its first row, p50`;
    return [under({ measured, value: many ?? Number.NaN, unit: 'ms', floor }, 1000)];
  } finally {
    await browser.close();
    for (const { service } of planes) await service.stop();
  }
}

/** What one open page has heard. */
type PageEvents = { frames: number; readonly receivedAtMs: Map<string, number> };

/** Reads a stream as a page does, and notes when each run was seen first. */
async function listen({ url }: Plane, key: string, ending: AbortSignal): Promise<PageEvents> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/api/v1/events?instance=${instance}`, { headers, signal: ending });
  if (response.status !== 200 || !response.body) throw new Error(`a stream was answered ${response.status}`);
  const events: PageEvents = { frames: 0, receivedAtMs: new Map() };
  const read = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const piece of body) {
      const nowMs = performance.now();
      const text = decoder.decode(piece, { stream: true });
      // One send of the server is one piece, unless it is very long.
      if (text.startsWith('id:') || text.startsWith('event:')) events.frames += 1;
      for (const [, id = ''] of text.matchAll(/"run_id":"(\w+)"/g))
        if (!events.receivedAtMs.has(id)) events.receivedAtMs.set(id, nowMs);
    }
  };
  read(response.body).catch(() => undefined);
  return events;
}

/** Asks for runs at a steady pace; gives how long each request took, and when each run was acknowledged. */
async function arrive(plane: Plane, seconds: number) {
  const each = runsASecond / requestsASecond;
  const tookMs: number[] = [];
  const acknowledgedMs = new Map<string, number>();
  const startMs = performance.now();
  for (let index = 0; index < seconds * requestsASecond; index += 1) {
    const dueMs = startMs + (index * 1000) / requestsASecond;
    await sleep(Math.max(0, dueMs - performance.now()));
    const scenarios = Array.from({ length: each }, (_, index) => ({ id: idAt(index) }));
    const requestStartMs = performance.now();
    const requested = await plane.client.runs.request(instance, { scenarios });
    const endedMs = performance.now();
    tookMs.push(endedMs - requestStartMs);
    for (const { run_id: id } of requested) acknowledgedMs.set(id, endedMs);
  }
  const lastedS = (performance.now() - startMs) / 1000;
  return { tookMs, acknowledgedMs, lastedS, rate: acknowledgedMs.size / lastedS };
}

async function live(context: BenchContext): Promise<Row[]> {
  const plane = await startPlane(context);
  const key = readFileSync(`${plane.data}/owner.key`, 'utf8').trim();
  await addInstance(plane, instance);
  const seconds = context.quick ? 3 : 20;
  const controller = new AbortController();
  try {
    await arrive(plane, 2);
    const alone = await arrive(plane, seconds);
    const before = plane.service.memoryMb() ?? Number.NaN;
    const pages = await Promise.all(Array.from({ length: livePages }, () => listen(plane, key, controller.signal)));
    const refused = await fetch(`${plane.url}/api/v1/events`, { headers: { authorization: `Bearer ${key}` } });
    await refused.body?.cancel();
    if (refused.status !== 429) throw new Error(`a page over the limit was answered ${refused.status}`);
    const together = await arrive(plane, seconds);
    const during = plane.service.memoryMb() ?? Number.NaN;
    await sleep(2000);
    return liveRows({ alone, together, pages, before, during });
  } finally {
    controller.abort();
    await plane.service.stop();
  }
}

type Arrivals = Awaited<ReturnType<typeof arrive>>;
type Live = {
  readonly alone: Arrivals;
  readonly together: Arrivals;
  readonly pages: readonly PageEvents[];
  readonly before: number;
  readonly during: number;
};

function liveRows({ alone, together, pages, before, during }: Live): Row[] {
  const ids = [...together.acknowledgedMs.keys()];
  const missing = pages.flatMap(({ receivedAtMs }) => ids.filter((id) => !receivedAtMs.has(id)));
  if (missing.length > 0) throw new Error(`${missing.length} runs did not reach a page`);
  const delays = pages.flatMap(({ receivedAtMs }) =>
    ids.map((id) => Math.max(0, (receivedAtMs.get(id) ?? 0) - (together.acknowledgedMs.get(id) ?? 0))),
  );
  const frames = pages.reduce((sum, events) => sum + events.frames, 0) / livePages / together.lastedS;
  const floorName = 'no page open';
  const took = (share: number, measured: string): Row => {
    const floor = { what: floorName, value: quantile(alone.tookMs, share) };
    return { measured, value: quantile(together.tookMs, share), unit: 'ms', floor };
  };
  const pagesText = `${livePages} live pages`;
  return [
    {
      measured: `${pagesText}: runs that arrive`,
      value: together.rate,
      unit: 'runs/s',
      floor: { what: floorName, value: alone.rate },
    },
    took(0.5, 'request for 15 runs then, p50'),
    took(0.99, 'the same, p99'),
    under({ measured: 'from the acknowledgement to every page, p99', value: quantile(delays, 0.99), unit: 'ms' }, 1000),
    under({ measured: 'sends to each page', value: frames, unit: 'sends/s' }, 4.5),
    { measured: 'memory of `vp serve` then', value: during, unit: 'MB', floor: { what: floorName, value: before } },
  ];
}
