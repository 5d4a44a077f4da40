/**
 * PostgreSQL's SQL → tokens, as its own scanner finds them with `standard_conforming_strings` on: which words are code and
 * which stand in strings, identifiers and comments. `${…}` is a token of its own. Linear in the text's length; never throws.
 */

/** What a token is. `dollar` is a string between `$tag$`; punctuation and operators come one character each. */
export type SqlTokenKind =
  | 'word'
  | 'identifier'
  | 'string'
  | 'dollar'
  | 'number'
  | 'parameter'
  | 'placeholder'
  | 'punctuation'
  | 'comment';

/** From offset `start` up to, not including, `end`. `unclosed` where its closing mark is missing: it runs to the end. */
export type SqlToken = {
  readonly kind: SqlTokenKind;
  readonly start: number;
  readonly end: number;
  readonly unclosed?: true;
};

/** Where a token ends; -1 where it is never closed. */
type End = number;

const space = /[ \t\n\r\f\v]+/y;
const lineComment = /--[^\n\r]*/y;
/** Everything beyond ASCII belongs to words. A `$` belongs to a word too, but not that of `${`. */
const word = /[A-Za-z_\u0080-\uffff](?:[A-Za-z0-9_\u0080-\uffff]|\$(?!\{))*/y;
const number = /0[xXoObB][\dA-Fa-f_]+|(?:\d[\d_]*(?:\.(?!\.)[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?/y;
const parameter = /\$\d+/y;
const placeholder = /\$\{[^${}]*\}/y;
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;
const stringOpening = /(?:[eEbBxXnN]|[uU]&)?'/y;
const identifierOpening = /(?:[uU]&)?"/y;

/** The end of `pattern` (sticky) at `from`, or `from` where it does not match. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** Behind the mark that closes; doubled marks, and escaped ones where backslashes escape, do not. */
function endOfQuoted(text: string, from: number, mark: string, escapes: boolean): End {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '\\' && escapes) at += 1;
    else if (sign !== mark) continue;
    else if (text[at + 1] === mark) at += 1;
    else return at + 1;
  }
  return -1;
}

/** Strings with nothing but spaces, line comments and at least one line ending between them are one (4.1.2.1). */
function continuation(text: string, from: number): number | undefined {
  let at = from;
  for (let next = at; ; at = next) {
    next = endOf(lineComment, text, endOf(space, text, at));
    if (next === at) break;
  }
  return text[at] === "'" && /[\n\r]/.test(text.slice(from, at)) ? at + 1 : undefined;
}

function endOfString(text: string, opened: number, escapes: boolean): End {
  let end = endOfQuoted(text, opened, "'", escapes);
  while (end !== -1) {
    const next = continuation(text, end);
    if (next === undefined) return end;
    end = endOfQuoted(text, next, "'", escapes);
  }
  return end;
}

/** Comments between these marks nest. */
function endOfBlockComment(text: string, from: number): End {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  let depth = 0;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return -1;
}

function made(kind: SqlTokenKind, text: string, start: number, end: End): SqlToken {
  return end === -1 ? { kind, start, end: text.length, unclosed: true } : { kind, start, end };
}

function dollarToken(text: string, at: number): SqlToken {
  const numbered = endOf(parameter, text, at);
  if (numbered > at) return { kind: 'parameter', start: at, end: numbered };
  if (text.startsWith('${', at)) {
    const end = endOf(placeholder, text, at);
    return end > at
      ? { kind: 'placeholder', start: at, end }
      : { ...made('placeholder', text, at, at + 2), unclosed: true };
  }
  const opened = endOf(dollarTag, text, at);
  if (opened === at) return { kind: 'punctuation', start: at, end: at + 1 };
  const tag = text.slice(at, opened);
  const closing = text.indexOf(tag, opened);
  return made('dollar', text, at, closing === -1 ? -1 : closing + tag.length);
}

function quotedToken(text: string, at: number): SqlToken | undefined {
  const string = endOf(stringOpening, text, at);
  if (string > at) return made('string', text, at, endOfString(text, string, /[eE]/.test(text.charAt(at))));
  const identifier = endOf(identifierOpening, text, at);
  return identifier > at ? made('identifier', text, at, endOfQuoted(text, identifier, '"', false)) : undefined;
}

function commentToken(text: string, at: number): SqlToken | undefined {
  if (text.startsWith('--', at)) return made('comment', text, at, endOf(lineComment, text, at));
  return text.startsWith('/*', at) ? made('comment', text, at, endOfBlockComment(text, at)) : undefined;
}

function tokenAt(text: string, at: number): SqlToken {
  const special = text[at] === '$' ? dollarToken(text, at) : (quotedToken(text, at) ?? commentToken(text, at));
  if (special !== undefined) return special;
  for (const [kind, pattern] of [
    ['word', word],
    ['number', number],
  ] as const) {
    const end = endOf(pattern, text, at);
    if (end > at) return { kind, start: at, end };
  }
  return { kind: 'punctuation', start: at, end: at + 1 };
}

/** The tokens in their order; what stands between them is space. */
export function sqlTokens(text: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let at = endOf(space, text, 0); at < text.length; ) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = endOf(space, text, token.end);
  }
  return tokens;
}
