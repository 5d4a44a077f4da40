/** The text of a JSON body → what checks look at. */
import { Numeral } from './numeral.ts';
import type { Json } from './observed.ts';

/**
 * Parses `text`, keeping the source of numbers that would otherwise change (`Numeral`). Texts without such numbers, which
 * most are, cost half as much again as `JSON.parse`; the others up to nine times as much. Throws SyntaxError, and
 * RangeError where it is nested too deeply.
 */
export function readJson(text: string): Json {
  const value: Json = JSON.parse(text);
  return mayHaveNumerals(text) ? (withNumerals(text) ?? value) : value;
}

/** Undefined where it is nested too deeply for keeping sources. */
function withNumerals(text: string): Json | undefined {
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
      const source = context?.source;
      return typeof value === 'number' && source !== undefined && source !== String(value)
        ? new Numeral(source)
        : value;
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const quote = 34;
const backslash = 92;
const minus = 45;
const point = 46;
const zero = 48;
const nine = 57;

/** Looks at every number outside strings. `text` is JSON. By hand: regular expressions take as long as parsing. */
function mayHaveNumerals(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === minus || (code >= zero && code <= nine)) {
      const end = endOfNumber(text, at);
      if (mayChange(text, at, end)) return true;
      at = end - 1;
    }
  }
  return false;
}

/** Where the string that opens at `from` closes. */
function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

/** An odd number of backslashes stands before `at`. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (at - first) % 2 === 1;
}

/** Behind the last of: digits, point, `e`, `E`, `+`, `-`. */
function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const belongs = (code >= zero && code <= nine) || code === point || code === 101 || code === 69;
    if (!belongs && code !== minus && code !== 43) break;
  }
  return at;
}

/** Up to fifteen characters without an exponent come back as they are, unless they end in a zero behind the point. */
function mayChange(text: string, from: number, end: number): boolean {
  if (end - from > 15) return true;
  let fraction = false;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === point) fraction = true;
    else if (code === 101 || code === 69) return true;
  }
  const isNegativeZero = end - from === 2 && text.charCodeAt(from) === minus && text.charCodeAt(from + 1) === zero;
  if (!fraction) return isNegativeZero;
  return text.charCodeAt(end - 1) === zero || /^-?0\.0{6}/.test(text.slice(from, end));
}
