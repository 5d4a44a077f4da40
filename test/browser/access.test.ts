/** Every page for everybody: in both themes, by rules of axe-core, and as narrow as a telephone. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { seriousOf, widerThanWindow } from './sound.ts';
import { instance, type Visit, visit } from './visit.ts';

/** Every address with something on it, and what is there when it has arrived. */
async function addresses(page: Page): Promise<readonly (readonly [path: string, there: string])[]> {
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

/** Pages of somebody who is not signed in. */
const outside = [
  ['/', 'form'],
  ['/sign-in', 'form'],
  ['/setup', 'h1'],
  ['/single-sign-on', 'h1'],
  ['/reset-password', 'h1'],
  ['/reset-password#abcdefghijklmnopqrstuvwxyz', '.problem'],
  ['/invitation', 'h1'],
  ['/invitation#abcdefghijklmnopqrstuvwxyz', '.problem'],
] as const;

async function judgeAll(page: Page, all: readonly (readonly [string, string])[]): Promise<string[]> {
  const found: string[] = [];
  for (const [path, there] of all) {
    await page.goto(path);
    await page.locator(there).first().waitFor();
    const wider = await widerThanWindow(page);
    if (wider > 0) found.push(`${path} is ${wider} px wider than the window`);
    for (const what of await seriousOf(page)) found.push(`${path} ${what}`);
  }
  return found;
}

const looks = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'light, 360 px wide', options: { colorScheme: 'light', viewport: { width: 360, height: 740 } } },
  { name: 'dark, 360 px wide', options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } } },
] as const;

for (const { name, options } of looks) {
  visit(`${name}: nothing serious on any page, and nothing sticks out`, async (t, { owner, somebody }: Visit) => {
    const page = await owner(options);
    t.same(await judgeAll(page, await addresses(page)), []);
    t.same(await judgeAll(await somebody(options), outside), []);
  });
}

visit('a chosen theme stays, and dialogs are sound in it', async (t, { owner }) => {
  const page = await owner({ colorScheme: 'light' });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  const toggle = page.getByRole('button', { name: /^Theme:/ });
  await toggle.click();
  await toggle.click();
  t.not(await paper(), light);
  await page.reload();
  await page.getByRole('heading', { name: instance }).waitFor();
  t.not(await paper(), light, 'also after the page was loaded anew');
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox').first().waitFor();
  t.same(await seriousOf(page), []);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  t.same(await seriousOf(page), []);
});

t.setTimeout(240_000);
