/**
 * Splits PostgreSQL SQL into tokens like its scanner with `standard_conforming_strings` on: which words are code and which
 * are in strings, identifiers and comments. `${…}` is a separate token. Linear in the text's length; never throws.
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

/** End of a token; -1 if it is never closed. */
type End = number;

const space = /[ \t\n\r\f\v]+/y;
const lineComment = /--[^\n\r]*/y;
/** Characters outside ASCII belong to words, as does `$` except in `${`. */
const word = /[A-Za-z_\u0080-\uffff](?:[A-Za-z0-9_\u0080-\uffff]|\$(?!\{))*/y;
const number = /0[xXoObB][\dA-Fa-f_]+|(?:\d[\d_]*(?:\.(?!\.)[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?/y;
const parameter = /\$\d+/y;
const placeholder = /\$\{[^${}]*\}/y;
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;
const stringOpening = /(?:[eEbBxXnN]|[uU]&)?'/y;
const identifierOpening = /(?:[uU]&)?"/y;

/** The end of `pattern` (sticky) at `from`, or `from` where it does not match. */
function findEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** Offset after the closing mark; doubled marks do not close, nor do escaped ones where backslashes escape. */
function endOfQuoted(text: string, from: number, mark: string, escapes: boolean): End {
  for (let offset = from; offset < text.length; offset += 1) {
    const sign = text[offset];
    if (sign === '\\' && escapes) offset += 1;
    else if (sign !== mark) continue;
    else if (text[offset + 1] === mark) offset += 1;
    else return offset + 1;
  }
  return -1;
}

/** Strings separated only by spaces, line comments and at least one line ending are one string (4.1.2.1). */
function continuation(text: string, from: number): number | undefined {
  let offset = from;
  for (let next = offset; ; offset = next) {
    next = findEnd(lineComment, text, findEnd(space, text, offset));
    if (next === offset) break;
  }
  return text[offset] === "'" && /[\n\r]/.test(text.slice(from, offset)) ? offset + 1 : undefined;
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
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return -1;
}

function createToken(kind: SqlTokenKind, text: string, start: number, end: End): SqlToken {
  return end === -1 ? { kind, start, end: text.length, unclosed: true } : { kind, start, end };
}

function dollarToken(text: string, offset: number): SqlToken {
  const numbered = findEnd(parameter, text, offset);
  if (numbered > offset) return { kind: 'parameter', start: offset, end: numbered };
  if (text.startsWith('${', offset)) {
    const end = findEnd(placeholder, text, offset);
    return end > offset
      ? { kind: 'placeholder', start: offset, end }
      : { ...createToken('placeholder', text, offset, offset + 2), unclosed: true };
  }
  const opened = findEnd(dollarTag, text, offset);
  if (opened === offset) return { kind: 'punctuation', start: offset, end: offset + 1 };
  const tag = text.slice(offset, opened);
  const closing = text.indexOf(tag, opened);
  return createToken('dollar', text, offset, closing === -1 ? -1 : closing + tag.length);
}

function quotedToken(text: string, offset: number): SqlToken | undefined {
  const string = findEnd(stringOpening, text, offset);
  if (string > offset)
    return createToken('string', text, offset, endOfString(text, string, /[eE]/.test(text.charAt(offset))));
  const identifier = findEnd(identifierOpening, text, offset);
  return identifier > offset
    ? createToken('identifier', text, offset, endOfQuoted(text, identifier, '"', false))
    : undefined;
}

function commentToken(text: string, offset: number): SqlToken | undefined {
  if (text.startsWith('--', offset)) return createToken('comment', text, offset, findEnd(lineComment, text, offset));
  return text.startsWith('/*', offset)
    ? createToken('comment', text, offset, endOfBlockComment(text, offset))
    : undefined;
}

function tokenAt(text: string, offset: number): SqlToken {
  const special =
    text[offset] === '$' ? dollarToken(text, offset) : (quotedToken(text, offset) ?? commentToken(text, offset));
  if (special !== undefined) return special;
  for (const [kind, pattern] of [
    ['word', word],
    ['number', number],
  ] as const) {
    const end = findEnd(pattern, text, offset);
    if (end > offset) return { kind, start: offset, end };
  }
  return { kind: 'punctuation', start: offset, end: offset + 1 };
}

/** The tokens in order; only white space is between them. */
export function tokenizeSql(text: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let offset = findEnd(space, text, 0); offset < text.length; ) {
    const token = tokenAt(text, offset);
    tokens.push(token);
    offset = findEnd(space, text, token.end);
  }
  return tokens;
}
