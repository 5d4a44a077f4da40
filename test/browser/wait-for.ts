/**
 * Assertions on what a page shows after a key, a click or a message of the server: each reads until what is expected is there,
 * and fails with what it last saw. `test/page-reads.test.ts` refuses those that read once.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import type { Test } from 'tap';
import { eventually } from '../eventually.ts';
import { pageTimeoutMs } from './chromium.ts';

type Read<T> = () => T | Promise<T>;

/** Resolves with the value that `isExpected` accepts, or with the last one. Rejects if none could be read. */
export async function readUntil<T>(read: Read<T>, isExpected: (value: T) => boolean): Promise<T> {
  let last: { readonly value: T } | undefined;
  try {
    await eventually(
      async () => {
        last = { value: await read() };
        return isExpected(last.value);
      },
      { timeoutMs: pageTimeoutMs, description: String(read) },
    );
  } catch (error) {
    if (last === undefined) throw error;
  }
  if (last === undefined) throw new Error(`nothing was read: ${String(read)}`);
  return last.value;
}

/** For a page on which nothing can change any more, or what must never be there, however short; `_reason` says why. */
export function readOnce<T>(_reason: string, read: () => Promise<T>): Promise<T> {
  return read();
}

function matches(value: unknown, pattern: RegExp | string): boolean {
  return pattern instanceof RegExp
    ? new RegExp(pattern, pattern.flags).test(String(value))
    : String(value).includes(pattern);
}

/** The text of an element that is there, as it is displayed. */
export async function waitForText(
  t: Test,
  locator: Locator,
  pattern: RegExp | string,
  message = `${locator} displays ${pattern}`,
): Promise<void> {
  await waitForMatch(t, () => locator.innerText(), pattern, message);
}

/** The displayed texts of all elements, as many as patterns. */
export async function waitForTexts(
  t: Test,
  locator: Locator,
  patterns: readonly (RegExp | string)[],
  message = `${locator} display ${patterns.join(', ')}`,
): Promise<void> {
  const areExpected = (texts: readonly string[]): boolean =>
    texts.length === patterns.length && patterns.every((pattern, index) => matches(texts[index], pattern));
  const texts = await readUntil(() => locator.allInnerTexts(), areExpected);
  t.equal(texts.length, patterns.length, message);
  t.match(texts, patterns, message);
}

export async function waitForMatch(
  t: Test,
  read: Read<string | null | undefined>,
  pattern: RegExp | string,
  message = `matches ${pattern}`,
): Promise<void> {
  t.match(await readUntil(read, (value) => value != null && matches(value, pattern)), pattern, message);
}

/** How many elements there are, displayed or not. */
export async function waitForCount(
  t: Test,
  locator: Locator,
  count: number,
  message = `${count} of ${locator}`,
): Promise<void> {
  t.equal(
    await readUntil(
      () => locator.count(),
      (value) => value === count,
    ),
    count,
    message,
  );
}

export async function waitForValue<T>(t: Test, read: Read<T>, expected: T, message = String(read)): Promise<void> {
  t.strictSame(await readUntil(read, (value) => isDeepStrictEqual(value, expected)), expected, message);
}

/** For conditions of which no value says more. */
export async function waitForCondition(t: Test, check: Read<boolean>, message = String(check)): Promise<void> {
  t.ok(await readUntil(check, Boolean), message);
}
