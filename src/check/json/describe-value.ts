/** Short texts about values, for people: bounded in length, whatever the target sent. */
import { isList, isObjectValue, type Json, toStringForm } from './json.ts';

/** In UTF-16 units. */
export const maxExcerptLength = 200;

/** Takes secrets out of a text. Always before the text is cut: half a secret could not be found any more. */
type ConcealText = ((text: string) => string) | undefined;

function truncateSafely(text: string): string {
  const last = text.charCodeAt(maxExcerptLength - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? maxExcerptLength - 1 : maxExcerptLength);
}

/** `text`, or its beginning and its size when it is long. */
export function abbreviate(text: string): string {
  return text.length <= maxExcerptLength ? text : `${truncateSafely(text)}… (${text.length} characters)`;
}

/** A string as JSON, so that spaces and control characters are visible; its beginning and size when it is long. */
export function quoteText(text: string): string {
  if (text.length <= maxExcerptLength) return JSON.stringify(text);
  return `${JSON.stringify(truncateSafely(text)).slice(0, -1)}…" (${text.length} characters)`;
}

/** The value itself, its beginning when it is long; lists and objects as compact JSON. */
export function formatValue(value: Json, conceal: ConcealText): string {
  const fullText = toStringForm(value);
  const text = conceal?.(fullText) ?? fullText;
  return typeof value === 'string' ? quoteText(text) : abbreviate(text);
}

/** The value itself, but lists and objects by their size only. */
export function describeValue(value: Json, conceal?: ConcealText): string {
  if (typeof value === 'string') return quoteText(conceal?.(value) ?? value);
  if (isList(value)) return `a list of ${value.length}`;
  if (!isObjectValue(value)) return abbreviate(String(value));
  const count = Object.keys(value).length;
  return `an object with ${count} ${count === 1 ? 'field' : 'fields'}`;
}
