/** The text of a JSON body → the value that checks read. */
import { type Json, Numeral } from './json.ts';

/**
 * Parses `text`, keeping the source of numbers that would otherwise change (`Numeral`). Texts without such numbers, which
 * most are, cost 1.5 times as much as `JSON.parse`; the others up to nine times. Throws SyntaxError, and
 * RangeError where it is nested too deeply.
 */
export function readJson(text: string): Json {
  const value: Json = JSON.parse(text);
  return mayHaveNumerals(text) ? (withNumerals(text) ?? value) : value;
}

/** Undefined where the nesting is too deep for keeping sources. */
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

/** Scans every number outside strings. `text` is JSON. Written by hand: regular expressions take as long as parsing. */
function mayHaveNumerals(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = findStringEnd(text, index);
    else if (code === minus || (code >= zero && code <= nine)) {
      const end = findNumberEnd(text, index);
      if (mayChange(text, index, end)) return true;
      index = end - 1;
    }
  }
  return false;
}

/** The index of the quotation mark that closes the string opened at `from`. */
export function findStringEnd(text: string, from: number): number {
  let index = text.indexOf('"', from + 1);
  while (isEscaped(text, index)) index = text.indexOf('"', index + 1);
  return index;
}

/** True when an odd number of backslashes precedes `index`. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (index - first) % 2 === 1;
}

/** The index after the last of: digits, point, `e`, `E`, `+`, `-`. */
function findNumberEnd(text: string, from: number): number {
  let index = from + 1;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const belongs = (code >= zero && code <= nine) || code === point || code === 101 || code === 69;
    if (!belongs && code !== minus && code !== 43) break;
  }
  return index;
}

/** Up to fifteen characters without an exponent are printed unchanged, unless they end in a zero after the point. */
function mayChange(text: string, from: number, end: number): boolean {
  if (end - from > 15) return true;
  let fraction = false;
  for (let index = from; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === point) fraction = true;
    else if (code === 101 || code === 69) return true;
  }
  const isNegativeZero = end - from === 2 && text.charCodeAt(from) === minus && text.charCodeAt(from + 1) === zero;
  if (!fraction) return isNegativeZero;
  return text.charCodeAt(end - 1) === zero || /^-?0\.0{6}/.test(text.slice(from, end));
}
