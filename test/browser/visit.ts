/** A control plane with its executor as the packed binary, and people in front of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { type Stage, scene } from '../e2e/stage.ts';
import { openChromium } from './chromium.ts';
import { type Shop, scenarios, shop } from './shop.ts';

/** The instance of every visit. */
export const instance = 'shop';
/** The first owner. */
export const ana = { name: 'Ana Lopes', email: 'ana@example.com', password: 'seven brown otters swim' };

/** What a test has at hand. */
export type Visit = {
  readonly stage: Stage;
  readonly shop: Shop;
  readonly url: string;
  readonly data: string;
  /** A browser of somebody else: nothing of the others' is in it. */
  somebody(options?: BrowserContextOptions): Promise<Page>;
  /** Makes the first owner through the setup link, in a browser of her own. */
  owner(options?: BrowserContextOptions): Promise<Page>;
};

/** A page that keeps what went wrong in it. */
export type Faults = { readonly page: Page; readonly told: string[] };

const faults = new WeakMap<BrowserContext, string[]>();

/** Errors of scripts and refusals of the content security policy, in all pages of the context. */
export function faultsOf(page: Page): readonly string[] {
  return faults.get(page.context()) ?? [];
}

async function open(browser: Browser, baseURL: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(60_000);
  const told: string[] = [];
  faults.set(context, told);
  context.on('weberror', (error) => told.push(String(error.error())));
  context.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) told.push(message.text());
  });
  return context.newPage();
}

/** The setup link, used: the page is at the runs afterwards. */
export async function setUp(page: Page, data: string): Promise<void> {
  await page.goto(readFileSync(join(data, 'setup-link.txt'), 'utf8').trim());
  await page.getByLabel('Your name').fill(ana.name);
  await page.getByLabel('Email').fill(ana.email);
  await page.getByLabel('Password').fill(ana.password);
  await page.getByRole('button', { name: 'Make the first owner' }).click();
  await page.waitForURL(`**/instances/${instance}/runs`);
}

/** What `vp serve` is started with besides. */
export type More = { readonly args: readonly string[]; readonly variables?: Readonly<Record<string, string>> };

async function serve(stage: Stage, target: string, more: More): Promise<{ url: string; data: string }> {
  for (const [name, text] of Object.entries(scenarios)) stage.write(`test/scenarios/${name}`, text);
  stage.write(
    'product/platform-config.yaml',
    `project: {name: ${instance}}\ntargets:\n  http: {base_url: "${target}"}\n`,
  );
  const data = join(stage.folder, 'plane');
  const folders = ['--product-dir', 'product', '--test-dir', 'test', '--instance', instance];
  const line = ['serve', '--embedded', '--json', '--port', '0', '--data', data, ...folders, ...more.args];
  const running = stage.vp(line, { variables: more.variables ?? {} });
  const [, url = ''] = await running.said(/^\{"event":"listening".*"url":"([^"]+)"/m);
  return { url, data };
}

/** Declares a test with a control plane, an executor, a target and browsers; all of it is gone afterwards. */
export function visit(
  name: string,
  play: (t: Test, visit: Visit) => Promise<void>,
  prepare: (t: Test) => Promise<More> = async () => ({ args: [] }),
): void {
  scene(name, async (t, stage) => {
    const target = await shop(t);
    const { url, data } = await serve(stage, target.origin, await prepare(t));
    const browser = await openChromium();
    const pages: Page[] = [];
    const somebody = async (options: BrowserContextOptions = {}): Promise<Page> => {
      const page = await open(browser, url, options);
      pages.push(page);
      return page;
    };
    const owner = async (options: BrowserContextOptions = {}): Promise<Page> => {
      const page = await somebody(options);
      await setUp(page, data);
      return page;
    };
    try {
      await play(t, { stage, shop: target, url, data, somebody, owner });
      t.same(pages.flatMap(faultsOf), [], 'no script broke, and the content security policy refused nothing');
    } finally {
      await browser.close();
    }
  });
}
