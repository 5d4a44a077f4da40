/**
 * Parses a JSON text of megabytes in steps, between which others get a turn: `JSON.parse` of 4 MB takes more than 10 ms. Members of
 * large objects and lists are parsed many at a time, and long strings in pieces. The value, and what is not JSON, is as
 * `JSON.parse` has it.
 *
 * Length: all steps share the place up to which the text was read, and the time that they have taken.
 */

/** Where a string of the text begins and ends, quotes included. */
export type JsonTextRange = { readonly start: number; readonly end: number };

export type LargeJson = {
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
   * Long strings are parts of the text, not copies of it, which the garbage collector would have to look for. Only for values that
   * are sent on: each character of such a part takes ten times as long to read.
   */
  readonly sharesText?: boolean;
};

/** What is parsed at once, and what is read between two turns, in characters. */
const pieceLength = 65_536;
const turnLength = 131_072;
/** Deeper texts are parsed in one step. */
const maxDepth = 150;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in strings.
const controlCharacter = /[\u0000-\u001f]/;
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

class TooDeepError extends Error {}

/** `takeTurn` is awaited between steps. Throws a SyntaxError for what is not JSON. */
export async function parseLargeJson(
  text: string,
  takeTurn: () => Promise<unknown>,
  { parsePart = JSON.parse, sharesText = false }: LargeJsonOptions = {},
): Promise<LargeJson> {
  const reader = new LargeJsonReader(text, takeTurn, parsePart, sharesText);
  try {
    return { value: await reader.readAll(), longTexts: reader.longTexts, hasLongNames: reader.hasLongNames };
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
    return { value: parsePart(text), longTexts: [], hasLongNames: true };
  }
}

class LargeJsonReader {
  readonly longTexts: JsonTextRange[] = [];
  hasLongNames = false;
  readonly #text: string;
  readonly #takeTurn: () => Promise<unknown>;
  readonly #parsePart: ParsePart;
  readonly #sharesText: boolean;
  #at = 0;
  /** Since the last turn of others. */
  #readLength = 0;
  /** The first quote from `#quoteFrom` on. */
  #quoteFrom = 0;
  #quoteAt = -1;

  constructor(text: string, takeTurn: () => Promise<unknown>, parsePart: ParsePart, sharesText: boolean) {
    this.#text = text;
    this.#takeTurn = takeTurn;
    this.#parsePart = parsePart;
    this.#sharesText = sharesText;
  }

  async readAll(): Promise<unknown> {
    const value = await this.#readValue(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#invalid();
    return value;
  }

  async #readValue(depth: number): Promise<unknown> {
    this.#skipSpace();
    const code = this.#text.charCodeAt(this.#at);
    if (code === quote) return this.#readString();
    if (code === openBrace) return this.#readMembers(new ObjectMembers(), closeBrace, depth);
    if (code === openBracket) return this.#readMembers(new ListMembers(), closeBracket, depth);
    const start = this.#at;
    while (this.#at < this.#text.length && !isEnd(this.#text.charCodeAt(this.#at))) this.#at += 1;
    return this.#parsePart(this.#text.slice(start, this.#at));
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
        const isEmpty = members.add(this.#text.slice(this.#at, end), this.#parsePart);
        if (isEmpty && !(isFirst && this.#text.charCodeAt(end) === close)) throw this.#invalid();
        this.#at = end;
      }
      const code = this.#text.charCodeAt(this.#at);
      this.#at += 1;
      if (code === close) return members.value;
      if (code !== comma) throw this.#invalid();
    }
  }

  async #readMember(members: Members, depth: number): Promise<void> {
    this.#skipSpace();
    let name: string | undefined;
    if (members instanceof ObjectMembers) {
      if (this.#text.charCodeAt(this.#at) !== quote) throw this.#invalid();
      const longCount = this.longTexts.length;
      name = await this.#readString();
      this.hasLongNames ||= this.longTexts.length > longCount;
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#at) !== colon) throw this.#invalid();
      this.#at += 1;
    }
    members.set(name ?? '', await this.#readValue(depth + 1));
    this.#skipSpace();
  }

  /** Where the members from here end that are parsed together: at a comma or `close`. Undefined if the first one is too large for that. */
  #findMembersEnd(close: number): number | undefined {
    const text = this.#text;
    const start = this.#at;
    let memberStart = start;
    let depth = 0;
    for (let index = start; ; index += 1) {
      const code = text.charCodeAt(index);
      const stringEnd = code === quote ? this.#findQuote(index + 1, index + 1 + pieceLength) : index;
      if (stringEnd < 0 || index - start > pieceLength) {
        this.#readLength += pieceLength;
        return memberStart > start ? memberStart - 1 : undefined;
      }
      index = stringEnd;
      if (code === openBrace || code === openBracket) depth += 1;
      else if (code === closeBrace || code === closeBracket) {
        if (depth === 0 && code !== close) throw this.#invalid();
        if (depth === 0) {
          this.#readLength += index - start;
          return index;
        }
        depth -= 1;
      } else if (code === comma && depth === 0) memberStart = index + 1;
      else if (Number.isNaN(code)) throw this.#invalid();
    }
  }

  /** Of a string that `from` is in, not within an escape: where its last quote is, if that is before `limit`; otherwise -1. */
  #findQuote(from: number, limit: number): number {
    const text = this.#text;
    if (from < this.#quoteFrom || from > this.#quoteAt) {
      const at = text.indexOf('"', from);
      this.#quoteFrom = from;
      this.#quoteAt = at < 0 ? text.length : at;
    }
    if (this.#quoteAt === text.length) throw this.#invalid();
    if (this.#quoteAt >= limit) return -1;
    let first = this.#quoteAt;
    while (first > from && text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((this.#quoteAt - first) % 2 === 0) return this.#quoteAt;
    for (let index = this.#quoteAt + 1; index < limit; index += 1) {
      const code = text.charCodeAt(index);
      if (code === quote) return index;
      if (code === backslash) index += 1;
      else if (Number.isNaN(code)) throw this.#invalid();
    }
    return -1;
  }

  async #readString(): Promise<string> {
    const start = this.#at;
    const pieces: string[] = [];
    let hasEscapes = false;
    for (let from = start + 1; ; from = this.#at) {
      const limit = this.#findPieceEnd(from);
      const last = this.#findQuote(from, limit);
      const piece = this.#text.slice(from, last < 0 ? limit : last);
      // Most of what is long has no escapes.
      if (piece.includes('\\')) {
        hasEscapes = true;
        pieces.push(JSON.parse(`"${piece}"`));
      } else if (controlCharacter.test(piece)) throw this.#invalid();
      else pieces.push(piece);
      this.#at = from + piece.length;
      if (last >= 0) break;
      this.#readLength += piece.length;
      await this.#takeTurnWhenDue();
    }
    this.#at += 1;
    if (pieces.length > 1) this.longTexts.push({ start, end: this.#at });
    return this.#sharesText && !hasEscapes ? this.#text.slice(start + 1, this.#at - 1) : pieces.join('');
  }

  /** No piece ends within an escape. */
  #findPieceEnd(from: number): number {
    const text = this.#text;
    const end = Math.min(from + pieceLength, text.length);
    // An escape has six characters at most, the first of which is the last one of an odd number of backslashes.
    for (let at = end - 1; at > end - 6 && at > from; at -= 1) {
      if (text.charCodeAt(at) !== backslash) continue;
      let first = at;
      while (first > from && text.charCodeAt(first - 1) === backslash) first -= 1;
      return (at - first) % 2 === 0 ? at : end;
    }
    return end;
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
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
    if (name !== '__proto__') this.value[name] = value;
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
