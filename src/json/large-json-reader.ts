/**
 * Parses a JSON text of megabytes in steps, between which others get a turn: `JSON.parse` of 4 MB takes more than 10 ms. Members of
 * large objects and lists are parsed many at a time, and long strings in pieces. The value, and what is not JSON, is as
 * `JSON.parse` has it.
 *
 * Length: all steps share the position up to which the text was read, and the time that they have taken.
 */
import { createJsonSource, type JsonPart, type JsonSource, type JsonWindow } from './json-source.ts';
import { LateText } from './late-text.ts';

/** Where a string of the text begins and ends, quotes included. */
export type JsonTextRange = { readonly start: number; readonly end: number };

export type LargeJson = {
  readonly source: JsonSource;
  readonly value: unknown;
  /** The values that are long strings, in their order. */
  readonly longTexts: readonly JsonTextRange[];
  readonly hasLongNames: boolean;
};

/** Parses a part of the text that is JSON. */
export type ParsePart = (part: string) => unknown;

export type LargeJsonOptions = {
  readonly parsePart?: ParsePart;
  /**
   * Long strings are parts of the text, not copies of it, which the garbage collector would have to look for; of bytes, those of
   * objects without escapes are decoded when they are read. Only for values that are sent on: each character of such a part takes
   * ten times as long to read.
   */
  readonly sharesText?: boolean;
};

/** What is parsed at once, in characters. */
const pieceLength = 65_536;
/** What is read between two turns where values are created of it. */
const turnLength = 131_072;
/** Deeper texts are parsed in one step. */
const maxDepth = 150;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

class TooDeepError extends Error {}

/** `takeTurn` is awaited between steps. `sent` must not change afterwards. Throws a SyntaxError for what is not JSON. */
export async function parseLargeJson(
  sent: JsonPart,
  takeTurn: () => Promise<unknown>,
  { parsePart = JSON.parse, sharesText = false }: LargeJsonOptions = {},
): Promise<LargeJson> {
  const source = createJsonSource(sent);
  const reader = new LargeJsonReader(source, takeTurn, parsePart, sharesText);
  try {
    const value = await reader.readAll();
    return { source, value, longTexts: reader.longTexts, hasLongNames: reader.hasLongNames };
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
    return { source, value: parsePart(source.text), longTexts: [], hasLongNames: true };
  }
}

class LargeJsonReader {
  readonly longTexts: JsonTextRange[] = [];
  hasLongNames = false;
  readonly #source: JsonSource;
  readonly #takeTurn: () => Promise<unknown>;
  readonly #parsePart: ParsePart;
  readonly #sharesText: boolean;
  readonly #quotes: CharacterFinder;
  readonly #backslashes: CharacterFinder;
  /** A part of the source without quotes: a long string is in several values. */
  #quoteless = noRange;
  #at = 0;
  /** Since the last turn of others, of {@link turnLength}. */
  #readLength = 0;

  constructor(source: JsonSource, takeTurn: () => Promise<unknown>, parsePart: ParsePart, sharesText: boolean) {
    this.#source = source;
    this.#takeTurn = takeTurn;
    this.#parsePart = parsePart;
    this.#sharesText = sharesText;
    this.#quotes = new CharacterFinder(source, quote);
    this.#backslashes = new CharacterFinder(source, backslash);
  }

  async readAll(): Promise<unknown> {
    const value = await this.#readValue(0, false);
    this.#skipSpace();
    if (this.#at < this.#source.length) throw this.#invalid();
    return value;
  }

  /** `mayBeLate`: a long string may be a {@link LateText}. */
  async #readValue(depth: number, mayBeLate: boolean): Promise<unknown> {
    this.#skipSpace();
    const code = this.#source.codeAt(this.#at);
    if (code === quote) return mayBeLate ? this.#readText() : this.#readString();
    if (code === openBrace) return this.#readMembers(new ObjectMembers(), closeBrace, depth);
    if (code === openBracket) return this.#readMembers(new ListMembers(), closeBracket, depth);
    const start = this.#at;
    while (this.#at < this.#source.length && !isEnd(this.#source.codeAt(this.#at))) this.#at += 1;
    return this.#parsePart(this.#source.slice(start, this.#at));
  }

  /** From the bracket that opens an object or a list to behind the one that closes it. */
  async #readMembers(members: Members, close: number, depth: number): Promise<unknown> {
    if (depth > maxDepth) throw new TooDeepError();
    this.#at += 1;
    for (let isFirst = true; ; isFirst = false) {
      const end = this.#findMembersEnd(close);
      await this.#takeTurnWhenDue();
      if (end === undefined) await this.#readMember(members, depth);
      else {
        const isEmpty = members.add(this.#source.slice(this.#at, end), this.#parsePart);
        if (isEmpty && !(isFirst && this.#source.codeAt(end) === close)) throw this.#invalid();
        this.#at = end;
      }
      const code = this.#source.codeAt(this.#at);
      this.#at += 1;
      if (code === close) return members.value;
      if (code !== comma) throw this.#invalid();
    }
  }

  async #readMember(members: Members, depth: number): Promise<void> {
    this.#skipSpace();
    let name = '';
    const isObjectMember = members instanceof ObjectMembers;
    if (isObjectMember) {
      if (this.#source.codeAt(this.#at) !== quote) throw this.#invalid();
      const longCount = this.longTexts.length;
      name = await this.#readString();
      this.hasLongNames ||= this.longTexts.length > longCount;
      this.#skipSpace();
      if (this.#source.codeAt(this.#at) !== colon) throw this.#invalid();
      this.#at += 1;
    }
    members.set(name, await this.#readValue(depth + 1, isObjectMember));
    this.#skipSpace();
  }

  /** Where the members from here end that are parsed together: at a comma or `close`. Undefined if the first one is too large for that. */
  #findMembersEnd(close: number): number | undefined {
    // A piece, and a string that begins at its end.
    const window = this.#source.createWindow(this.#at, 2 * (pieceLength + 1));
    const { text, start: windowStart } = window;
    const start = this.#at - windowStart;
    let memberStart = start;
    let depth = 0;
    for (let index = start; ; index += 1) {
      const code = text.charCodeAt(index);
      const stringEnd = code === quote ? this.#findShortStringEnd(window, index + 1) : index;
      if (stringEnd < 0 || index - start > pieceLength) {
        this.#readLength += pieceLength;
        return memberStart > start ? windowStart + memberStart - 1 : undefined;
      }
      index = stringEnd;
      if (code === openBrace || code === openBracket) depth += 1;
      else if (code === closeBrace || code === closeBracket) {
        if (depth === 0 && code !== close) throw this.#invalid();
        if (depth === 0) {
          this.#readLength += index - start;
          return windowStart + index;
        }
        depth -= 1;
      } else if (code === comma && depth === 0) memberStart = index + 1;
      else if (Number.isNaN(code)) throw this.#invalid();
    }
  }

  /** Of a string that is longer than a piece: -1. */
  #findShortStringEnd({ text, start }: JsonWindow, from: number): number {
    const limit = from + pieceLength;
    const { start: passedStart, end: passedEnd } = this.#quoteless;
    if (start + from >= passedStart && start + limit <= passedEnd) return -1;
    const at = text.indexOf('"', from);
    if (at >= 0 && at < limit) return findStringEnd(text, from, at, limit);
    this.#quoteless = { start: start + from, end: start + (at < 0 ? text.length : at) };
    return -1;
  }

  /** A string, or one that is decoded later. */
  async #readText(): Promise<string | LateText> {
    const start = this.#at;
    const pieces = await this.#passString();
    if (pieces) return pieces.join('');
    const end = this.#at - 1;
    const decode = (): string => this.#source.slice(start + 1, end);
    return this.#source.copiesSlices && end - start > pieceLength ? new LateText(decode) : decode();
  }

  async #readString(): Promise<string> {
    const start = this.#at;
    const pieces = await this.#passString();
    return pieces ? pieces.join('') : this.#source.slice(start + 1, this.#at - 1);
  }

  /** Goes behind the string that begins here. Returns it in pieces, or undefined where it is a part of the text as it is. */
  async #passString(): Promise<string[] | undefined> {
    const source = this.#source;
    const start = this.#at;
    const pieces: string[] = [];
    let isInPieces = !this.#sharesText;
    for (let from = start + 1; ; from = this.#at) {
      const limit = this.#findPieceEnd(from);
      const quoteAt = this.#quotes.find(from);
      if (quoteAt === source.length) throw this.#invalid();
      // Most of what is long has no escapes.
      const isEscaped = this.#backslashes.find(from) < Math.min(quoteAt, limit);
      const escaped = isEscaped ? source.slice(from, limit) : '';
      const lastQuote = isEscaped ? findStringEnd(escaped, 0, escaped.indexOf('"'), escaped.length) : quoteAt - from;
      const isEnd = lastQuote >= 0 && from + lastQuote < limit;
      const end = isEnd ? from + lastQuote : limit;
      if (isEscaped && !isInPieces) pieces.push(source.slice(start + 1, from));
      isInPieces ||= isEscaped;
      if (isEscaped) pieces.push(JSON.parse(`"${isEnd ? escaped.slice(0, lastQuote) : escaped}"`));
      else if (source.hasControlCharacters(from, end)) throw this.#invalid();
      else if (isInPieces) pieces.push(source.slice(from, end));
      this.#at = end;
      if (isEnd) break;
      this.#readLength += ((end - from) * turnLength) / (isInPieces ? turnLength : source.turnLength);
      await this.#takeTurnWhenDue();
    }
    this.#at += 1;
    if (this.#at - start - 2 > pieceLength) this.longTexts.push({ start, end: this.#at });
    return isInPieces ? pieces : undefined;
  }

  /** No piece ends within an escape. */
  #findPieceEnd(from: number): number {
    const source = this.#source;
    const end = Math.min(from + pieceLength, source.length);
    // An escape has six characters at most, the first of which is the last one of an odd number of backslashes.
    for (let at = end - 1; at > end - 6 && at > from; at -= 1) {
      if (source.codeAt(at) !== backslash) continue;
      let first = at;
      while (first > from && source.codeAt(first - 1) === backslash) first -= 1;
      return (at - first) % 2 === 0 ? at : end;
    }
    return end;
  }

  #skipSpace(): void {
    while (isSpace(this.#source.codeAt(this.#at))) this.#at += 1;
  }

  async #takeTurnWhenDue(): Promise<void> {
    if (this.#readLength < turnLength) return;
    this.#readLength = 0;
    await this.#takeTurn();
  }

  #invalid(): SyntaxError {
    return new SyntaxError(`not JSON near position ${this.#at}`);
  }
}

/** Finds a character from a position on, without searching what was searched before: a long string is in several values. */
class CharacterFinder {
  readonly #source: JsonSource;
  readonly #code: number;
  #last = noRange;
  #longest = noRange;

  constructor(source: JsonSource, code: number) {
    this.#source = source;
    this.#code = code;
  }

  /** The length of the text where there is none. */
  find(from: number): number {
    if (isWithin(this.#last, from)) return this.#last.end;
    if (isWithin(this.#longest, from)) return this.#longest.end;
    const at = this.#source.indexOf(this.#code, from);
    const range = { start: from, end: at < 0 ? this.#source.length : at };
    if (range.end - from > pieceLength) this.#longest = range;
    else this.#last = range;
    return range.end;
  }
}

const noRange: JsonTextRange = { start: 0, end: -1 };

function isWithin({ start, end }: JsonTextRange, position: number): boolean {
  return position >= start && position <= end;
}

/**
 * Where the string that `from` is in, not within an escape, has its last quote, if that is before `limit`; otherwise -1. `at`: the first
 * quote from there on, or -1.
 */
function findStringEnd(text: string, from: number, at: number, limit: number): number {
  if (at < 0) return -1;
  let first = at;
  while (first > from && text.charCodeAt(first - 1) === backslash) first -= 1;
  if ((at - first) % 2 === 0) return at;
  for (let index = at + 1; index < limit; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) return index;
    if (code === backslash) index += 1;
  }
  return -1;
}

type Members = {
  readonly value: unknown;
  /** Adds those of a part of the text; returns true if there are none. */
  add(part: string, parsePart: ParsePart): boolean;
  set(name: string, value: unknown): void;
};

class ListMembers implements Members {
  readonly value: unknown[] = [];

  add(part: string, parsePart: ParsePart): boolean {
    const elements = parsePart(`[${part}]`);
    if (!Array.isArray(elements)) return true;
    for (const element of elements) this.value.push(element);
    return elements.length === 0;
  }

  set(_name: string, value: unknown): void {
    this.value.push(value);
  }
}

class ObjectMembers implements Members {
  readonly value: Record<string, unknown> = {};

  add(part: string, parsePart: ParsePart): boolean {
    const members = Object(parsePart(`{${part}}`));
    let isEmpty = true;
    for (const name in members) {
      this.set(name, members[name]);
      isEmpty = false;
    }
    return isEmpty;
  }

  set(name: string, value: unknown): void {
    if (value instanceof LateText) value.defineMember(this.value, name);
    else if (name !== '__proto__') this.value[name] = value;
    // It is a member like others, as `JSON.parse` has it.
    else Object.defineProperty(this.value, name, { value, enumerable: true, configurable: true, writable: true });
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isEnd(code: number): boolean {
  return isSpace(code) || code === comma || code === closeBrace || code === closeBracket;
}
