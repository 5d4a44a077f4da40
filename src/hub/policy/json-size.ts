/** The size of a value as JSON, without writing it where it is clearly small enough. */
import { getNumberText } from '../../json/exact-json.ts';

/** Deeper values are refused before anything walks through them. */
const maxDepth = 64;

type Scalar = string | number | boolean | null | undefined;

type SizeOf = (scalar: Scalar) => number;

/** A character takes at most six bytes (`\u0000`), a double 24 characters. */
const boundScalar: SizeOf = (scalar) => (typeof scalar === 'string' ? 6 * scalar.length + 2 : 25);

const measureScalar: SizeOf = (scalar) =>
  typeof scalar === 'string' ? measureText(scalar) : Buffer.byteLength(JSON.stringify(scalar) ?? 'null');

/** The bytes of control characters, quotes and backslashes: `\n` takes two, `\u0000` six. */
const escapedBytes: readonly number[] = Array.from({ length: 0x80 }, (_, code) => {
  if (code < 0x20) return '\b\t\n\f\r'.includes(String.fromCharCode(code)) ? 2 : 6;
  return code === 0x22 || code === 0x5c ? 2 : 1;
});

/** Counted, as writing a text of 4 MB takes more than 10 ms. */
function measureText(text: string): number {
  let bytes = 2;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += escapedBytes[code] ?? 1;
    else if (code < 0x800) bytes += 2;
    else if (code < 0xd800 || code > 0xdfff) bytes += 3;
    else if (code <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 6;
  }
  return bytes;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/**
 * The bytes of a value as JSON text, counted until they are more than `max`, or an upper bound that is not more; undefined if it
 * is nested deeper than 64 levels. Takes values of `parseExactJson`, too.
 */
export function measureJson(value: unknown, max: number): number | undefined {
  const bound = measure(value, max, boundScalar, 0);
  return bound === undefined || bound <= max ? bound : measure(value, max, measureScalar, 0);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value !== 'object' || value === null;
}

function measure(value: unknown, max: number, sizeOf: SizeOf, depth: number): number | undefined {
  // A character takes a byte at least.
  if (typeof value === 'string' && value.length > max) return value.length;
  if (isScalar(value)) return sizeOf(value);
  const number = getNumberText(value);
  if (number !== undefined) return number.length;
  if (depth >= maxDepth) return undefined;
  let size = 1;
  for (const [name, member] of Object.entries(value)) {
    const memberSize = measure(member, max - size, sizeOf, depth + 1);
    if (memberSize === undefined) return undefined;
    // With the comma, or the bracket at the end.
    size += memberSize + 1 + (Array.isArray(value) ? 0 : sizeOf(name) + 1);
    if (size > max) return size;
  }
  return Math.max(size, 2);
}
