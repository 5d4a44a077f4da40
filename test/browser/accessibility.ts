/** Checks of accessibility and of overflow on narrow screens. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] };

/** Of these less serious rules no page breaks any either. */
const furtherRules: readonly string[] = ['heading-order', 'page-has-heading-one', 'empty-heading'];

/** A page that is loading or moving gets this long until nothing is wrong with it. */
const settlingTimeoutMs = 10_000;

/** Returns the last value, however long the first takes. */
async function readSettled<T>(read: () => Promise<T>, isFine: (value: T) => boolean): Promise<T> {
  const deadlineMs = performance.now() + settlingTimeoutMs;
  for (;;) {
    const value = await read();
    if (isFine(value) || performance.now() > deadlineMs) return value;
    await sleep(20);
  }
}

const isEmpty = ({ length }: readonly unknown[]): boolean => length === 0;

/** Returns serious and critical axe-core violations, and those of `furtherRules`. The debugger injects the script, so the content security policy allows it. */
export function findSeriousViolations(page: Page): Promise<string[]> {
  return readSettled(() => readViolations(page), isEmpty);
}

async function readViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const violations: readonly Violation[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  const serious = violations.filter(
    ({ id, impact }) => impact === 'serious' || impact === 'critical' || furtherRules.includes(id),
  );
  return serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

/** Returns by how many pixels the page is wider than the window. */
export function measureOverflow(page: Page): Promise<number> {
  return readSettled(
    () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    (overflow) => overflow <= 0,
  );
}

/** Returns lines of a text that are inside the first screens of their box and yet would be blank in a picture of the whole page. */
export function findBlankParts(page: Page): Promise<string[]> {
  return readSettled(() => readBlankParts(page), isEmpty);
}

function readBlankParts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Array.from(document.querySelectorAll('main *'))
      .filter((element) => getComputedStyle(element).contentVisibility === 'auto')
      .filter((element) => {
        const box = element.closest('section')?.getBoundingClientRect();
        const { top, height } = element.getBoundingClientRect();
        return height > 0 && box !== undefined && top < box.bottom && top + height > box.top;
      })
      .map((element) => element.textContent.slice(0, 80)),
  );
}

/**
 * Presses Tab through the page, or its dialog, and returns the controls that never had the focus, had no visible mark of it, or were
 * hidden behind something else with it. Goes around twice before it gives up: controls that appear meanwhile (the rail loads its
 * parts one by one) take presses that were not counted.
 */
export async function findUnreachableControls(page: Page): Promise<string[]> {
  const count = await markControls(page);
  for (let presses = 0; presses < 2 * count + 10; presses += 1) {
    await page.keyboard.press('Tab');
    const { isEditor, isComplete } = await page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement)) return { isEditor: false, isComplete: false };
      const styles = [getComputedStyle(element), getComputedStyle(element, '::after')];
      const hasMark = styles.some(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none');
      const isEditor = element.matches('.cm-content');
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const isOnTop = [left + 2, (left + right) / 2, right - 2].some((x) =>
        [top + 2, (top + bottom) / 2, bottom - 2].some((y) => {
          const topmost = document.elementFromPoint(x, y);
          return topmost !== null && (element.contains(topmost) || topmost.contains(element));
        }),
      );
      if ((hasMark && isOnTop) || isEditor) delete element.dataset.unreached;
      return { isEditor, isComplete: document.querySelector('[data-unreached]') === null };
    });
    if (isEditor) await page.keyboard.press('Escape');
    if (isComplete) return [];
  }
  return page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('[data-unreached]'), (element) => {
      delete element.dataset.unreached;
      return element.outerHTML.slice(0, 120);
    }),
  );
}

/** Marks each control that Tab should reach, puts the focus before the first, and returns how often Tab must be pressed for all. */
function markControls(page: Page): Promise<number> {
  return page.evaluate(() => {
    const selector = 'a[href], button, input, select, textarea, summary, [contenteditable=true], [tabindex="0"]';
    const root = document.querySelector('dialog:modal') ?? document;
    const controls = Array.from(root.querySelectorAll<HTMLElement>(selector)).filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false }) &&
        !element.matches(':disabled, [tabindex="-1"], [inert] *, input[type=hidden]') &&
        // Tab goes to the selected one of a group; the arrow keys to the others.
        !(element.matches('input[type=radio]:not(:checked)') || element.matches('[role=tab][aria-selected=false]')),
    );
    for (const control of controls) control.dataset.unreached = '';
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    // Tab stops at each part of a time.
    const timeCount = controls.filter((control) => control.matches('[type=datetime-local]')).length;
    return controls.length + 7 * timeCount;
  });
}
