/** Browser tests against the packed binary: a control plane with an executor and a target. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { type Sandbox, sandboxTest } from '../e2e/sandbox.ts';
import { openChromium } from './chromium.ts';
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

export type PageProblems = { readonly page: Page; readonly problems: string[] };

const problemsByContext = new WeakMap<BrowserContext, string[]>();

/** Returns script errors and violations of the content security policy of all pages in the same context. */
export function getPageProblems(page: Page): readonly string[] {
  return problemsByContext.get(page.context()) ?? [];
}

async function open(browser: Browser, baseURL: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(60_000);
  const problems: string[] = [];
  problemsByContext.set(context, problems);
  context.on('weberror', (error) => problems.push(String(error.error())));
  context.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) problems.push(message.text());
  });
  return context.newPage();
}

/** Creates the first owner with the setup link. The page shows the runs afterwards. */
export async function createOwner(page: Page, data: string): Promise<void> {
  await page.goto(readFileSync(join(data, 'setup-link.txt'), 'utf8').trim());
  await page.getByLabel('Your name').fill(ana.name);
  await page.getByLabel('Email').fill(ana.email);
  await page.getByLabel('Password').fill(ana.password);
  await page.getByRole('button', { name: 'Create the first owner' }).click();
  await page.waitForURL(`**/instances/${instance}/runs`);
}

/** Additional arguments and environment variables of `vp serve`. */
export type ServeOptions = { readonly args: readonly string[]; readonly variables?: Readonly<Record<string, string>> };

async function serve(
  stage: Sandbox,
  target: string,
  serveOptions: ServeOptions,
): Promise<{ url: string; data: string }> {
  for (const [name, text] of Object.entries(scenarios)) stage.write(`test/scenarios/${name}`, text);
  stage.write(
    'product/platform-config.yaml',
    `project: {name: ${instance}}\ntargets:\n  http: {base_url: "${target}"}\n`,
  );
  const data = join(stage.folder, 'plane');
  const folders = ['--product-dir', 'product', '--test-dir', 'test', '--instance', instance];
  const line = ['serve', '--embedded', '--json', '--port', '0', '--data', data, ...folders, ...serveOptions.args];
  const running = stage.vp(line, { variables: serveOptions.variables ?? {} });
  const [, url = ''] = await running.waitForOutput(/^\{"event":"listening".*"url":"([^"]+)"/m);
  return { url, data };
}

/** Declares a test with a control plane, an executor, a target and a browser, which are all stopped afterwards. */
export function browserTest(
  name: string,
  run: (t: Test, context: BrowserTest) => Promise<void>,
  prepareOptions: (t: Test) => Promise<ServeOptions> = async () => ({ args: [] }),
): void {
  sandboxTest(name, async (t, stage) => {
    const target = await startTestTarget(t);
    const { url, data } = await serve(stage, target.origin, await prepareOptions(t));
    const browser = await openChromium();
    const pages: Page[] = [];
    const openPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
      const page = await open(browser, url, options);
      pages.push(page);
      return page;
    };
    const owner = async (options: BrowserContextOptions = {}): Promise<Page> => {
      const page = await openPage(options);
      await createOwner(page, data);
      return page;
    };
    try {
      await run(t, { stage, testTarget: target, url, data, openPage, owner });
      t.same(pages.flatMap(getPageProblems), [], 'no script errors, no violations of the content security policy');
    } finally {
      await browser.close();
    }
  });
}
