/**
 * What a JSON text of megabytes is read from: a string, or bytes of ASCII as they came. Of bytes, the long strings are not decoded
 * unless somebody reads them, and are sent on as they are: each copy of such a text outside of the heap makes V8 mark all of its
 * objects sooner. In both, a character has one position, so that lengths and positions mean the same.
 */
import { hasControlBytes } from './control-bytes.ts';

/** A part of a JSON text: a string, or bytes of ASCII. */
export type JsonPart = string | Uint8Array;

/** `text` begins at `start` of the source. */
export type JsonWindow = { readonly text: string; readonly start: number };

export type JsonSource = {
  /** In characters. */
  readonly length: number;
  /** How much of a string is searched in one step. */
  readonly turnLength: number;
  /** True if a slice is a copy. */
  readonly copiesSlices: boolean;
  /** A string with the `length` characters from `start` on, if there are as many, to be looked at one by one. */
  createWindow(start: number, length: number): JsonWindow;
  /** The whole text; of bytes, a copy each time. */
  readonly text: string;
  /** NaN behind the end. */
  codeAt(index: number): number;
  /** Of a character of ASCII; -1 where there is none. */
  indexOf(code: number, from: number): number;
  hasControlCharacters(start: number, end: number): boolean;
  slice(start: number, end: number): string;
  /** What {@link slice} returns, as a part of what is sent. */
  part(start: number, end: number): JsonPart;
};

/** Without a copy: `sent` must not change afterwards. */
export function createJsonSource(sent: JsonPart): JsonSource {
  return typeof sent === 'string' ? new TextSource(sent) : new AsciiSource(sent);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in strings.
const controlCharacter = /[\u0000-\u001f]/;

class TextSource implements JsonSource {
  readonly text: string;
  readonly length: number;
  readonly turnLength = 131_072;
  readonly copiesSlices = false;
  readonly #window: JsonWindow;

  constructor(text: string) {
    this.text = text;
    this.length = text.length;
    this.#window = { text, start: 0 };
  }

  createWindow(): JsonWindow {
    return this.#window;
  }

  codeAt(index: number): number {
    return this.text.charCodeAt(index);
  }

  indexOf(code: number, from: number): number {
    return this.text.indexOf(String.fromCharCode(code), from);
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

class AsciiSource implements JsonSource {
  readonly length: number;
  /** Bytes are searched many at once. */
  readonly turnLength = 524_288;
  readonly copiesSlices = true;
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.length = bytes.length;
  }

  createWindow(start: number, length: number): JsonWindow {
    return { text: this.slice(start, start + length), start };
  }

  get text(): string {
    return this.#bytes.toString('latin1');
  }

  codeAt(index: number): number {
    return this.#bytes[index] ?? Number.NaN;
  }

  indexOf(code: number, from: number): number {
    return this.#bytes.indexOf(code, from);
  }

  hasControlCharacters(start: number, end: number): boolean {
    return hasControlBytes(this.#bytes.subarray(start, end));
  }

  slice(start: number, end: number): string {
    return this.#bytes.toString('latin1', start, end);
  }

  part(start: number, end: number): JsonPart {
    return this.#bytes.subarray(start, end);
  }
}
