/**
 * What a JSON text of megabytes is read from: a string, or its bytes as they came. Of bytes, the long strings are never decoded unless
 * somebody reads them, and are sent on as they are: each copy of such a text outside of the heap makes V8 mark all of its objects sooner.
 */
import { hasControlBytes } from './control-bytes.ts';

/** A part of a JSON text, as a string or in UTF-8. */
export type JsonPart = string | Uint8Array;

export type JsonSource = {
  /** In characters, or in bytes. */
  readonly length: number;
  /** How much is searched in one step. */
  readonly turnLength: number;
  /** True if a slice is a copy. */
  readonly copiesSlices: boolean;
  /** The whole text, which is decoded each time. */
  readonly text: string;
  /** NaN behind the end; characters beyond ASCII have codes beyond it. */
  codeAt(index: number): number;
  /** Of a character of ASCII; -1 where there is none. */
  indexOf(code: number, from: number): number;
  /** The last place up to `index` that is between two characters. */
  findBoundary(index: number): number;
  hasControlCharacters(start: number, end: number): boolean;
  slice(start: number, end: number): string;
  /** The same, to be sent on. */
  part(start: number, end: number): JsonPart;
};

/** Without a copy. Bytes have to be valid UTF-8; a byte order mark is left out. */
export function createJsonSource(sent: JsonPart): JsonSource {
  if (typeof sent === 'string') return new TextSource(sent);
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.length);
  const start = byteOrderMark.every((byte, index) => bytes[index] === byte) ? byteOrderMark.length : 0;
  return new ByteSource(bytes.subarray(start));
}

const byteOrderMark = [0xef, 0xbb, 0xbf];
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in strings.
const controlCharacter = /[\u0000-\u001f]/;

class TextSource implements JsonSource {
  readonly text: string;
  readonly length: number;
  readonly turnLength = 131_072;
  readonly copiesSlices = false;

  constructor(text: string) {
    this.text = text;
    this.length = text.length;
  }

  codeAt(index: number): number {
    return this.text.charCodeAt(index);
  }

  indexOf(code: number, from: number): number {
    return this.text.indexOf(String.fromCharCode(code), from);
  }

  findBoundary(index: number): number {
    return index;
  }

  hasControlCharacters(start: number, end: number): boolean {
    return controlCharacter.test(this.text.slice(start, end));
  }

  slice(start: number, end: number): string {
    return this.text.slice(start, end);
  }

  part(start: number, end: number): JsonPart {
    return this.text.slice(start, end);
  }
}

const continuationMask = 0xc0;
const continuation = 0x80;

class ByteSource implements JsonSource {
  readonly length: number;
  /** Bytes are searched many at once. */
  readonly turnLength = 524_288;
  readonly copiesSlices = true;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  get text(): string {
    return this.#bytes.toString('utf8');
  }

  codeAt(index: number): number {
    return this.#bytes[index] ?? Number.NaN;
  }

  indexOf(code: number, from: number): number {
    return this.#bytes.indexOf(code, from);
  }

  findBoundary(index: number): number {
    let boundary = index;
    while (((this.#bytes[boundary] ?? 0) & continuationMask) === continuation) boundary -= 1;
    return boundary;
  }

  hasControlCharacters(start: number, end: number): boolean {
    return hasControlBytes(this.#bytes.subarray(start, end));
  }

  slice(start: number, end: number): string {
    return this.#bytes.toString('utf8', start, end);
  }

  part(start: number, end: number): JsonPart {
    return this.#bytes.subarray(start, end);
  }
}
