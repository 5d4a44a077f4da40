/** Visits of pages in Chromium as people make them: from a click until the list is painted, and pages that are opened anew. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Service } from './processes.ts';

/**
 * A page: how it is reached inside the console, and a selector that matches once its list is there. `act` clicks or types;
 * the time counts from the event that the browser received.
 */
export type MeasuredPage = {
  readonly name: string;
  readonly path: string;
  readonly from: string;
  act(page: Page): Promise<void>;
  readonly selector: string;
};

/**
 * What a visit cost: until the list was painted, and until the page was at rest. `pageMs` is processor time of the thread that
 * runs the page.
 */
export type Visit = {
  readonly ms: number;
  readonly requests: number;
  readonly kb: number;
  readonly serverMs: number;
  readonly pageMs: number;
};

/** In which pages load what other pages need, and people read. */
const restMs = 400;

/** Added to each page: time stamps of input, and of the first paint with an element that was not there before. */
function installClock(): void {
  const known = new WeakSet<Element>();
  let inputMs = 0;
  // Without input the time counts from the start of the navigation.
  for (const type of ['click', 'keydown', 'change'])
    addEventListener(type, ({ timeStamp }) => (inputMs = timeStamp), { capture: true });
  const waitForPaint = (selector: string): Promise<number> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (![...document.querySelectorAll(selector)].some((element) => !known.has(element))) return;
        observer.disconnect();
        // The frame with the element is drawn after its callback, and before a task that the callback queues.
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - inputMs)));
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { childList: true, subtree: true, characterData: true });
      look();
    });
  Object.assign(window, {
    vpBench: {
      waitForPaint,
      markKnown: (selector: string): void => {
        for (const element of document.querySelectorAll(selector)) known.add(element);
      },
    },
  });
  const selector = sessionStorage.getItem('vp-bench-selector');
  if (selector !== null) Object.assign(window, { vpBenchLoad: waitForPaint(selector) });
}

type BenchWindow = {
  readonly vpBench: { waitForPaint(selector: string): Promise<number>; markKnown(selector: string): void };
  readonly vpBenchLoad: Promise<number>;
};

export async function addClock(context: BrowserContext): Promise<void> {
  await context.addInitScript(installClock);
}

type Traffic = { requests: number; bytes: number };

async function countTraffic(page: Page): Promise<{ readonly session: CDPSession; readonly traffic: Traffic }> {
  const session = await page.context().newCDPSession(page);
  const traffic = { requests: 0, bytes: 0 };
  await session.send('Network.enable');
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
  await session.send('Performance.enable');
  session.on('Network.requestWillBeSent', () => {
    traffic.requests += 1;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    traffic.bytes += encodedDataLength;
  });
  return { session, traffic };
}

async function readPageMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}

async function measure(page: Page, service: Service, visit: () => Promise<number>): Promise<Visit> {
  const { session, traffic } = await countTraffic(page);
  const before = service.processorMs?.() ?? Number.NaN;
  const pageBefore = await readPageMs(session);
  const ms = await visit();
  await sleep(restMs);
  const serverMs = (service.processorMs?.() ?? Number.NaN) - before;
  const pageMs = (await readPageMs(session)) - pageBefore;
  await session.detach();
  return { ms, requests: traffic.requests, kb: traffic.bytes / 1000, serverMs, pageMs };
}

/** The first click after the console was loaded on another page. */
export async function visitByClick(page: Page, service: Service, measured: MeasuredPage): Promise<Visit> {
  await page.goto(measured.from);
  await page.locator('main h1, main .run-head').first().waitFor();
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  // The stream of changes never ends, so that no state of the page says that it is at rest.
  await sleep(restMs);
  await page.evaluate((selector) => (window as unknown as BenchWindow).vpBench.markKnown(selector), measured.selector);
  return measure(page, service, async () => {
    const painted = page.evaluate(
      (selector) => (window as unknown as BenchWindow).vpBench.waitForPaint(selector),
      measured.selector,
    );
    await measured.act(page);
    return painted;
  });
}

type OpenedPage = Pick<MeasuredPage, 'path' | 'selector'>;

/** A new tab of a browser that has nothing of the console in its cache, and is signed in. */
export async function openAnew(
  browser: Browser,
  service: Service,
  state: Awaited<ReturnType<BrowserContext['storageState']>>,
  { path, selector }: OpenedPage,
): Promise<Visit> {
  const { url } = service.startInfo;
  const context = await browser.newContext({ baseURL: url, storageState: state });
  try {
    await context.addInitScript((text) => sessionStorage.setItem('vp-bench-selector', text), selector);
    await addClock(context);
    const page = await context.newPage();
    return await measure(page, service, async () => {
      await page.goto(path, { waitUntil: 'commit' });
      return page.evaluate(() => (window as unknown as BenchWindow).vpBenchLoad);
    });
  } finally {
    await context.close();
  }
}
