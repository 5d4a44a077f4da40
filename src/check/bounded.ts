/** Short texts about values, for people: bounded in length, whatever came back. */
import { Numeral } from './numeral.ts';
import type { Json, JsonObject } from './observed.ts';

/** Longest excerpt of a value, in UTF-16 units. */
export const excerptLength = 200;

function cut(text: string): string {
  const last = text.charCodeAt(excerptLength - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? excerptLength - 1 : excerptLength);
}

/** `text`, or its beginning and its size when it is long. */
export function bounded(text: string): string {
  return text.length <= excerptLength ? text : `${cut(text)}… (${text.length} characters)`;
}

/** A string as JSON, so that spaces and control characters show; its beginning and size when it is long. */
export function quoted(text: string): string {
  if (text.length <= excerptLength) return JSON.stringify(text);
  return `${JSON.stringify(cut(text)).slice(0, -1)}…" (${text.length} characters)`;
}

/** True for a JSON array. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** True for a JSON object. */
export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value) && !(value instanceof Numeral);
}

/** The string form that checks compare: strings as they are, everything else as compact JSON, numbers as sent. */
export function stringForm(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * What a value is, without printing lists and objects. `conceal` takes secrets out before it is cut: half a secret could not be
 * found any more.
 */
export function described(value: Json, conceal?: (text: string) => string): string {
  if (typeof value === 'string') return quoted(conceal?.(value) ?? value);
  if (isList(value)) return `a list of ${value.length}`;
  if (!isObject(value)) return bounded(String(value));
  const count = Object.keys(value).length;
  return `an object with ${count} ${count === 1 ? 'field' : 'fields'}`;
}
