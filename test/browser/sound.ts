/** Whether a page is sound: for those who use other means than eyes and mouse, and on a narrow screen. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] };

/** What axe-core finds serious or worse. Its script comes in by the debugger, past the content security policy. */
export async function seriousOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const violations: readonly Violation[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

/** By how many pixels the page must be moved sideways. */
export function widerThanWindow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
