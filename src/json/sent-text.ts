/**
 * JSON as it was sent: the text of one of its objects, member by member. A value that is parsed and written again has other
 * numbers (see `exact-json.ts`), and members whose names are numbers come first.
 */

import { isObject } from './json-object.ts';

const indexName = /"\d{1,10}"\s*:/;

/** True for every text with members that change their order when it is parsed and written again, and for few others. */
export function hasIndexNames(text: string): boolean {
  return indexName.test(text);
}

/** A member with its name, quotes and colon included. */
export type SentMember = { readonly name: string; readonly text: string; readonly value: string };

/**
 * The members of the object at `path` in a JSON text. Undefined if there is none, and if any object of the text has a name twice:
 * readers do not agree on which of them counts.
 */
export function findSentMembers(json: string, path: readonly string[]): readonly SentMember[] | undefined {
  const scanner = new MemberScanner(json);
  const members = scanner.readAt(path);
  return scanner.hasDuplicates ? undefined : members;
}

/** The text of an object with these members. */
export function joinMembers(members: readonly SentMember[]): string {
  return `{${members.map(({ text }) => text).join(',')}}`;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * As `JSON.stringify`, for an object with members of `received`, whose JSON text is `text`: these, and those of their `_meta`, keep the
 * order that they have in the text.
 */
export function stringifyAsSent(value: JsonObject, received: JsonObject, text: string): string {
  if (!hasIndexNames(text)) return JSON.stringify(value);
  const write = (object: JsonObject, source: JsonObject, path: readonly string[]): string => {
    const sent = new Map(findSentMembers(text, path)?.map((member) => [member.name, member.text]));
    const members = Object.entries(object).flatMap(([name, member]) => {
      const sentText = member === source[name] ? sent.get(name) : undefined;
      if (sentText !== undefined) return sentText;
      const meta = name === '_meta' && path.length === 0 ? source._meta : undefined;
      const json = isObject(member) && isObject(meta) ? write(member, meta, ['_meta']) : JSON.stringify(member);
      return json === undefined ? [] : `${JSON.stringify(name)}:${json}`;
    });
    return `{${members.join(',')}}`;
  };
  return write(value, received, []);
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const lastSpace = 0x20;

/** Only for texts that are known to be JSON. */
class MemberScanner {
  hasDuplicates = false;
  readonly #json: string;
  #at = 0;

  constructor(json: string) {
    this.#json = json;
  }

  /** The members of the object at `path` from here; the text is read to the end of the value in any case. */
  readAt(path: readonly string[]): SentMember[] | undefined {
    this.#skipSpace();
    if (this.#json.charCodeAt(this.#at) !== openBrace) {
      this.#skipValue();
      return undefined;
    }
    const [target, ...rest] = path;
    const names = new Set<string>();
    const members: SentMember[] = [];
    let membersOfTarget: SentMember[] | undefined;
    this.#at += 1;
    for (this.#skipSpace(); this.#json.charCodeAt(this.#at) !== closeBrace; this.#skipSeparator(comma)) {
      const start = this.#at;
      const name = this.#readName();
      if (names.has(name)) this.hasDuplicates = true;
      names.add(name);
      this.#skipSeparator(colon);
      const valueStart = this.#at;
      if (name === target) membersOfTarget = this.readAt(rest);
      else this.#skipValue();
      const end = this.#at;
      if (target === undefined)
        members.push({ name, text: this.#json.slice(start, end), value: this.#json.slice(valueStart, end) });
      this.#skipSpace();
    }
    this.#at += 1;
    return target === undefined ? members : membersOfTarget;
  }

  #skipSpace(): void {
    while (this.#json.charCodeAt(this.#at) <= lastSpace) this.#at += 1;
  }

  /** A colon, or a comma where there is one, with the white space around it. */
  #skipSeparator(separator: number): void {
    this.#skipSpace();
    if (this.#json.charCodeAt(this.#at) === separator) this.#at += 1;
    this.#skipSpace();
  }

  #readName(): string {
    const start = this.#at;
    this.#skipString();
    const text = this.#json.slice(start, this.#at);
    return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
  }

  #skipString(): void {
    const json = this.#json;
    const firstQuote = json.indexOf('"', this.#at + 1);
    if (json.charCodeAt(firstQuote - 1) !== backslash) {
      this.#at = firstQuote + 1;
      return;
    }
    let index = this.#at + 1;
    for (let code = json.charCodeAt(index); code !== quote; code = json.charCodeAt(index))
      index += code === backslash ? 2 : 1;
    this.#at = index + 1;
  }

  /** Without recursion: values may be nested deep. */
  #skipValue(): void {
    const json = this.#json;
    /** The names of each open object; undefined for a list. */
    const open: (Set<string> | undefined)[] = [];
    let isName = false;
    do {
      this.#skipSpace();
      const code = json.charCodeAt(this.#at);
      if (code === quote && isName) {
        const names = open.at(-1);
        const name = this.#readName();
        if (names?.has(name)) this.hasDuplicates = true;
        names?.add(name);
        isName = false;
      } else if (code === quote) this.#skipString();
      else if (code === openBrace || code === openBracket) {
        open.push(code === openBrace ? new Set() : undefined);
        isName = code === openBrace;
        this.#at += 1;
      } else if (code === closeBrace || code === closeBracket) {
        open.pop();
        this.#at += 1;
      } else if (code === comma || code === colon) {
        isName = code === comma && open.at(-1) !== undefined;
        this.#at += 1;
      } else this.#skipLiteral();
    } while (open.length > 0);
  }

  /** A number, `true`, `false` or `null`. */
  #skipLiteral(): void {
    const json = this.#json;
    for (let code = json.charCodeAt(this.#at); isLiteralPart(code); code = json.charCodeAt(this.#at)) this.#at += 1;
  }
}

/** False at the end of the text, too. */
function isLiteralPart(code: number): boolean {
  return code > lastSpace && code !== comma && code !== closeBrace && code !== closeBracket;
}
