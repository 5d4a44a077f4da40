/**
 * Numbers as they were sent: a double cannot hold integers beyond 2^53, and `1.0` or `1e3` would be written as `1` and `1000`.
 */

/**
 * Finds every text that may contain such a number, and few others: a number follows a colon, comma, bracket or white space.
 * The version `"2.0"` of each JSON-RPC message must not match.
 */
const precedesNumber = String.raw`[ \t\n\r:,[]`;
/** It begins with a look ahead for speed: most spaces and colons are not before a number. */
const unusual = String.raw`(?=[-\d])(?:-0(?![.\d])|-?(?:[\d.]{16}|\d+\.(?:\d*0(?!\d)|0{6})|\d[\d.]*[eE]))`;
const unusualNumber = new RegExp(`(?:^|${precedesNumber})${unusual}`);
const laterUnusualNumber = new RegExp(precedesNumber + unusual);
/** A number of more characters is unusual by its first ones. */
const maxNumberChars = 40;
const turnChars = 250_000;

/** True for every text with a number that is written in another way when it is parsed, and for few others. */
export function hasUnusualNumbers(text: string): boolean {
  return unusualNumber.test(text);
}

/** The same for a long text, of which `takeTurn` is awaited before each part. */
export async function hasUnusualNumbersInTurns(text: string, takeTurn: () => Promise<unknown>): Promise<boolean> {
  if (unusualNumber.test(text.slice(0, turnChars))) return true;
  for (let start = turnChars; start < text.length; start += turnChars) {
    await takeTurn();
    if (laterUnusualNumber.test(text.slice(start - maxNumberChars, start + turnChars))) return true;
  }
  return false;
}

/** Parsing with sources takes ten times as long. */
export const maxExactChars = 1_000_000;

const createRaw: unknown = Reflect.get(JSON, 'rawJSON');
const isRaw: unknown = Reflect.get(JSON, 'isRawJSON');

/** The text of a number that `parseExactJson` did not make a double; undefined for every other object. */
export function getNumberText(value: object): string | undefined {
  if (typeof isRaw !== 'function' || isRaw(value) !== true) return undefined;
  return String(Reflect.get(value, 'rawJSON'));
}

/** Whether a value of `parseExactJson` has such a number. */
export function hasNumberTexts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return getNumberText(value) !== undefined || Object.values(value).some(hasNumberTexts);
}

/**
 * Parses JSON text into a value that `JSON.stringify` writes with the numbers of the text; it is only for that. Returns
 * undefined if an ordinary value does the same, and for texts of more than a million characters.
 */
export function parseExactJson(text: string): unknown {
  if (text.length > maxExactChars || !hasUnusualNumbers(text)) return undefined;
  return parseExact(text)?.value;
}

/** For a part of a text that was searched for such numbers, of any length: an ordinary value where no number would change. */
export function parseExactPart(text: string): unknown {
  return hasUnusualNumbers(text) ? (parseExact(text)?.value ?? JSON.parse(text)) : JSON.parse(text);
}

function parseExact(text: string): { readonly value: unknown } | undefined {
  if (typeof createRaw !== 'function') return undefined;
  let isUnusual = false;
  const value: unknown = JSON.parse(text, (...[, member, context]: unknown[]) => {
    if (typeof member !== 'number') return member;
    const { source } = Object(context);
    if (typeof source !== 'string' || String(member) === source) return member;
    isUnusual = true;
    return createRaw(source);
  });
  return isUnusual ? { value } : undefined;
}
