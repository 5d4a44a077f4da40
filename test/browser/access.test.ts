/** Accessibility of every page: checked with axe-core in both themes, and on a narrow screen. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { type BrowserTest, browserTest, instance } from './browser-test.ts';

/** Every page with content, and a selector to wait for. */
async function listPages(page: Page): Promise<readonly (readonly [path: string, selector: string])[]> {
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox', { name: /RT-COUNT/ }).check();
  await page.getByRole('checkbox', { name: /RT-MORE/ }).check();
  await page.getByRole('button', { name: 'Run 2 scenarios' }).click();
  const failed = await page.locator('[data-row].is-failed').getAttribute('href');
  await page.locator('[data-row].is-passed').waitFor();
  return [
    [`/instances/${instance}/runs`, '[data-row]'],
    [`/instances/${instance}/runs?result=broken`, '.empty'],
    [`${failed}`, '.line.is-failed'],
    [`${failed}?tab=request`, '.headers'],
    [`${failed}?tab=timing`, '.timing'],
    [`${failed}?tab=compare`, '.exchange-line'],
    [`/instances/${instance}/scenarios`, '[data-row]'],
    [`/instances/${instance}/scenarios/RT-MORE`, '.rendered'],
    [`/instances/${instance}/scenarios/RT-MORE?tab=edit`, '.editor'],
    [`/instances/${instance}/scenarios/RT-MORE?tab=history`, '.diff'],
    ['/settings/environments', '.card-box'],
    ['/settings/people', 'table'],
    ['/settings/account', '.plain-list li'],
    ['/device', 'input'],
    ['/runs/20200101T000000000', '.problem'],
    ['/settings/nothing', '.empty'],
  ];
}

/** Pages that need no session. */
const signedOutPages = [
  ['/', 'form'],
  ['/sign-in', 'form'],
  ['/setup', 'h1'],
  ['/single-sign-on', 'h1'],
  ['/reset-password', 'h1'],
  ['/reset-password#abcdefghijklmnopqrstuvwxyz', '.problem'],
  ['/invitation', 'h1'],
  ['/invitation#abcdefghijklmnopqrstuvwxyz', '.problem'],
] as const;

async function checkPages(page: Page, all: readonly (readonly [string, string])[]): Promise<string[]> {
  const violations: string[] = [];
  for (const [path, selector] of all) {
    await page.goto(path);
    await page.locator(selector).first().waitFor();
    const overflow = await measureOverflow(page);
    if (overflow > 0) violations.push(`${path} is ${overflow} px wider than the window`);
    for (const violation of await findSeriousViolations(page)) violations.push(`${path} ${violation}`);
  }
  return violations;
}

const appearances = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'light, 360 px wide', options: { colorScheme: 'light', viewport: { width: 360, height: 740 } } },
  { name: 'dark, 360 px wide', options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } } },
] as const;

for (const { name, options } of appearances) {
  browserTest(`${name}: no page has serious violations or overflows`, async (t, { owner, openPage }: BrowserTest) => {
    const page = await owner(options);
    t.same(await checkPages(page, await listPages(page)), []);
    t.same(await checkPages(await openPage(options), signedOutPages), []);
  });
}

browserTest('a selected theme persists, and dialogs are accessible in it', async (t, { owner }) => {
  const page = await owner({ colorScheme: 'light' });
  const readBackground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await readBackground();
  const toggle = page.getByRole('button', { name: /^Theme:/ });
  await toggle.click();
  await toggle.click();
  t.not(await readBackground(), light);
  await page.reload();
  await page.getByRole('heading', { name: instance }).waitFor();
  t.not(await readBackground(), light, 'also after a reload');
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox').first().waitFor();
  t.same(await findSeriousViolations(page), []);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  t.same(await findSeriousViolations(page), []);
});

t.setTimeout(240_000);
