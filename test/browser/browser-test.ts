/** Browser tests against the packed binary: a control plane with an executor and a target. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import root, { type Test } from 'tap';
import { type Sandbox, sandboxTest } from '../e2e/sandbox.ts';
import { cpuThrottle, openChromium } from './chromium.ts';
import { scenarios, startTestTarget, type TestTarget } from './test-target.ts';

/** The instance of every browser test. */
export const instance = 'shop';
/** The first owner. */
export const ana = { name: 'Ana Lopes', email: 'ana@example.com', password: 'seven brown otters swim' };

export type BrowserTest = {
  readonly stage: Sandbox;
  readonly testTarget: TestTarget;
  readonly url: string;
  readonly data: string;
  /** Opens a page in a new browser context without any session. */
  openPage(options?: BrowserContextOptions): Promise<Page>;
  /** Creates the first owner with the setup link in a new browser context, and returns her page. */
  owner(options?: BrowserContextOptions): Promise<Page>;
};

const problemsByContext = new WeakMap<BrowserContext, string[]>();

/** Returns script errors and violations of the content security policy of all pages in the same context. */
export function getPageProblems(page: Page): readonly string[] {
  return problemsByContext.get(page.context()) ?? [];
}

/**
 * Chromium drops its connections when the machine gets or loses a network interface, as it does with each container. What
 * fails after that says nothing about the console, and is tried again.
 */
const maxAttempts = 3;
const droppedConnection = 'net::ERR_NETWORK_CHANGED';

async function open(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions,
  dropped: string[],
): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 }, ...options });
  const problems: string[] = [];
  problemsByContext.set(context, problems);
  context.on('weberror', (error) => problems.push(String(error.error())));
  context.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) problems.push(message.text());
  });
  context.on('requestfailed', (request) => {
    if (request.failure()?.errorText === droppedConnection) dropped.push(request.url());
  });
  return context.newPage();
}

let sharedBrowser: Promise<Browser> | undefined;

/**
 * The Chromium of all tests of this process, whose pages share nothing, because each test has contexts of its own; another one where a test
 * has brought it down. Starting it takes as much processor time as a short test.
 */
async function getBrowser(): Promise<Browser> {
  const current = await sharedBrowser?.catch(() => undefined);
  if (current?.isConnected()) return current;
  sharedBrowser = openChromium();
  const browser = await sharedBrowser;
  root.teardown(() => browser.close());
  return browser;
}

/** Creates the first owner with the setup link, by default at its own origin. The page shows the runs afterwards. */
export async function createOwner(page: Page, data: string, origin?: string): Promise<void> {
  const link = new URL(readFileSync(join(data, 'setup-link.txt'), 'utf8').trim());
  await page.goto(new URL(`${link.pathname}${link.hash}`, origin ?? link).href);
  await page.getByLabel('Your name').fill(ana.name);
  await page.getByLabel('Email').fill(ana.email);
  await page.getByLabel('Password').fill(ana.password);
  await page.getByRole('button', { name: 'Create the first owner' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(`/instances/${instance}/runs`);
  await page.getByRole('heading', { name: instance }).waitFor();
}

/** Additional arguments and environment variables of `vp serve`. */
export type ServeOptions = { readonly args: readonly string[]; readonly variables?: Readonly<Record<string, string>> };

/** On a busy machine a test takes minutes; its control plane must outlive it. */
const planeLifetimeMs = 800_000 * cpuThrottle;

async function serve(
  stage: Sandbox,
  target: string,
  serveOptions: ServeOptions,
  data: string,
): Promise<{ url: string }> {
  for (const [name, text] of Object.entries(scenarios)) stage.write(`test/scenarios/${name}`, text);
  stage.write(
    'product/platform-config.yaml',
    `project: {name: ${instance}}\ntargets:\n  http: {base_url: "${target}"}\n`,
  );
  const folders = ['--product-dir', 'product', '--test-dir', 'test', '--instance', instance];
  const line = ['serve', '--embedded', '--json', '--port', '0', '--data', data, ...folders, ...serveOptions.args];
  const running = stage.vp(line, { variables: serveOptions.variables ?? {}, lifetimeMs: planeLifetimeMs });
  const [, url = ''] = await running.waitForOutput(/^\{"event":"listening".*"url":"([^"]+)"/m);
  return { url };
}

/** Declares a test with a control plane, an executor, a target and a browser, which are all stopped afterwards. */
export function browserTest(
  name: string,
  run: (t: Test, context: BrowserTest) => Promise<void>,
  prepareOptions: (t: Test) => Promise<ServeOptions> = async () => ({ args: [] }),
): void {
  sandboxTest(name, async (t, stage) => {
    for (let attempt = 1; ; attempt += 1) {
      const dropped: string[] = [];
      try {
        const data = join(stage.folder, attempt === 1 ? 'plane' : `plane-${attempt}`);
        return await runOnce(t, { stage, data, dropped, serveOptions: await prepareOptions(t) }, run);
      } catch (error) {
        if (dropped.length === 0 || attempt === maxAttempts) throw error;
        t.comment(`repeated after ${droppedConnection} at ${dropped.join(', ')}: ${String(error)}`);
      }
    }
  });
}

type Attempt = {
  readonly stage: Sandbox;
  readonly data: string;
  /** Gets the URLs of requests whose connections Chromium dropped. */
  readonly dropped: string[];
  readonly serveOptions: ServeOptions;
};

async function runOnce(
  t: Test,
  { stage, data, dropped, serveOptions }: Attempt,
  run: (t: Test, context: BrowserTest) => Promise<void>,
): Promise<void> {
  const testTarget = await startTestTarget(t);
  const { url } = await serve(stage, testTarget.origin, serveOptions, data);
  const browser = await getBrowser();
  const pages: Page[] = [];
  const openPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await open(browser, url, options, dropped);
    pages.push(page);
    return page;
  };
  const owner = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await openPage(options);
    await createOwner(page, data);
    return page;
  };
  try {
    await run(t, { stage, testTarget, url, data, openPage, owner });
    t.same(pages.flatMap(getPageProblems), [], 'no script errors, no violations of the content security policy');
  } finally {
    await Promise.all(pages.map((page) => page.context().close()));
  }
}

/** Without a pause between them, as `g` and what follows it; one after another, a busy machine has them seconds apart. */
export async function pressAtOnce(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/** Requests a run of the scenario that passes with the keyboard alone, and waits for its end. */
export async function runCountWithKeyboard(page: Page): Promise<void> {
  await page.getByText('No runs yet').waitFor();
  await page.keyboard.press('r');
  await page.getByRole('dialog').getByRole('searchbox').fill('count');
  await page.getByRole('button', { name: 'Run all 1 scenario' }).waitFor();
  await page.keyboard.press('Enter');
  // Keys are the dialog's as long as it is there.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('.run-row.is-passed').waitFor();
}
