/**
 * The text of `JSON.stringify` in pieces, between which others can get a turn: writing a value of 4 MB with characters that are escaped
 * takes more than 10 ms.
 */
import { getNumberText } from './exact-json.ts';

const pieceLength = 65_536;
/** About what a member takes in the text. */
const memberLength = 8;

/** For values that were parsed from JSON; those that `JSON.stringify` leaves out are null in lists and missing in objects. */
export function* stringifyInPieces(value: unknown): Generator<string, void> {
  let pending = '';
  for (const part of writeParts(value)) {
    pending += part;
    if (pending.length < pieceLength) continue;
    yield pending;
    pending = '';
  }
  if (pending !== '') yield pending;
}

function* writeParts(value: unknown): Generator<string, void> {
  if (typeof value === 'string' && value.length > pieceLength) yield* writeString(value);
  else if (!isContainer(value) || estimateLength(value, pieceLength) < pieceLength)
    yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* writeParts(element);
    }
    yield ']';
  } else {
    let separator = '{';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield separator;
      yield* writeParts(name);
      yield ':';
      yield* writeParts(member);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  }
}

/** False for what `JSON.stringify` writes in its own way. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || getNumberText(value) !== undefined) return false;
  return !('toJSON' in value && typeof value.toJSON === 'function');
}

/** The length of the text without escapes, counted until it is `max` or more. */
function estimateLength(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length + memberLength;
  if (typeof value !== 'object' || value === null) return memberLength;
  let length = memberLength;
  for (const name in value) {
    length += name.length + estimateLength(Reflect.get(value, name), max - length);
    if (length >= max) return length;
  }
  return length;
}

/** No piece ends between the two halves of a character: alone, they would be escaped. */
function* writeString(text: string): Generator<string, void> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + pieceLength - 1);
    const end = start + pieceLength - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}
