/** Checks of a page in both themes, wide and narrow. `VP_SCREENSHOTS=folder` saves a picture of each, for people. */
import type { Page } from 'playwright-core';
import { type PageTable, toPathname } from './access-pages.ts';
import { findBlankParts, findSeriousViolations, findUnreachableControls, measureOverflow } from './accessibility.ts';
import { appearances, saveScreenshot } from './appearances.ts';
import { readUntil } from './wait-for.ts';

/** Paths that the rail and the tabs of the page link to. */
async function listNavigationPaths(page: Page): Promise<readonly string[]> {
  const links = page.locator('nav a[href^="/"]');
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  return paths.map(toPathname).filter((path) => path !== '/docs');
}

const screenshotNames = new Set<string>();

/** Throws where two pictures would have one name, also while none is saved. A page is loaded once, and then checked in each appearance. */
async function savePicture(page: Page, path: string, appearance: string): Promise<void> {
  const name = `${path} ${appearance}`;
  if (screenshotNames.has(name)) throw new Error(`two pictures are named ${name}`);
  screenshotNames.add(name);
  await saveScreenshot(page, name);
}

/** Which pages are checked; those of `isOwn` that the navigation of a page links to are added. */
export type PageSelection = {
  readonly table: PageTable;
  readonly isOwn: (path: string) => boolean;
  readonly session: 'signed in' | 'signed out';
};

/** Checks pages in each appearance, and returns what is wrong. */
export async function checkPages(page: Page, { table, isOwn, session }: PageSelection): Promise<string[]> {
  const violations: string[] = [];
  const queue = [...table];
  const listed = new Set(table.map(([path]) => toPathname(path)));
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [path, selector] = next;
    await page.goto(path);
    await page.locator(selector).first().waitFor();
    for (const linked of await listNavigationPaths(page)) {
      if (!listed.has(linked) && isOwn(linked)) queue.push([linked, 'main h1']);
      listed.add(linked);
    }
    const headings = await readUntil(
      () => page.locator('h1').count(),
      (count) => count === 1,
    );
    if (headings !== 1) violations.push(`${path} has ${headings} headings of level 1`);
    for (const control of await findUnreachableControls(page)) violations.push(`${path}: no Tab reaches ${control}`);
    for (const { name, colorScheme, viewport } of appearances) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await savePicture(page, `${session === 'signed out' ? session : ''}${path}`, name);
      const overflow = await measureOverflow(page);
      if (overflow > 0) violations.push(`${name} ${path} is ${overflow} px wider than the window`);
      for (const violation of await findSeriousViolations(page)) violations.push(`${name} ${path} ${violation}`);
      for (const text of await findBlankParts(page)) violations.push(`${name} ${path} is blank at ${text}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  return violations;
}
