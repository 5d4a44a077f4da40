/** The appearances in which every page is checked: both themes, wide and 390 px narrow. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { findSeriousViolations, findUnreachableControls, measureOverflow } from './accessibility.ts';

export const appearances = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'dark, 390 px wide', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { name: 'light, 390 px wide', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;

/** Saves a picture in the folder that `VP_SCREENSHOTS` names, for people. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.VP_SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replaceAll(/[^\w.=-]+/g, '_')}.png`), fullPage: true });
}

/** Loads the page at `path`, waits for `selector`, and returns what is wrong with the page in any appearance. */
export async function findAppearanceProblems(page: Page, path: string, selector: string): Promise<string[]> {
  await page.goto(path);
  await page.locator(selector).first().waitFor();
  return findProblemsAsDisplayed(page);
}

/** Returns what is wrong with the page as it is displayed now, in any appearance. */
export async function findProblemsAsDisplayed(page: Page): Promise<string[]> {
  const problems = (await findUnreachableControls(page)).map((control) => `no Tab reaches ${control}`);
  for (const { name, colorScheme, viewport } of appearances) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await saveScreenshot(page, `${new URL(page.url()).pathname} ${name}`);
    const overflow = await measureOverflow(page);
    if (overflow > 0) problems.push(`${name}: ${overflow} px wider than the window`);
    problems.push(...(await findSeriousViolations(page)).map((violation) => `${name}: ${violation}`));
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  return problems;
}
