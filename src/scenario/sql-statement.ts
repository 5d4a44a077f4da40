/** Checks that a text is one read-only statement. The database enforces it: it runs in a READ ONLY transaction. */
import { type SqlToken, tokenizeSql } from './sql-lexer.ts';

/** First words of read-only statements. */
export const readingKeywords = ['SELECT', 'WITH', 'VALUES', 'TABLE'] as const;

/** Why a text is not one; `start` and `end` are the offsets of the invalid words, `word` is the first of them. */
export type SqlProblem = {
  readonly kind: 'empty' | 'several' | 'not_reading' | 'unclosed';
  readonly start: number;
  readonly end: number;
  readonly word: string;
};

/** The statement with its tokens; it ends before a semicolon that nothing follows. */
export type SqlStatement = { readonly sql: string; readonly tokens: readonly SqlToken[] };

function problem(kind: SqlProblem['kind'], text: string, { start, end }: SqlToken): SqlProblem {
  return { kind, start, end, word: text.slice(start, end).slice(0, 60) };
}

function isSign(text: string, { kind, start }: SqlToken, sign: string): boolean {
  return kind === 'punctuation' && text[start] === sign;
}

function reads(text: string, { kind, start, end }: SqlToken): boolean {
  const first = text.slice(start, end).toUpperCase();
  return kind === 'word' && readingKeywords.some((each) => each === first);
}

/** Parses the statement, or returns why `text` has none, several, or one that is not read-only. */
export function readStatement(text: string): SqlStatement | SqlProblem {
  const all = tokenizeSql(text);
  const tokens = all.filter(({ kind }) => kind !== 'comment');
  const open = all.find(({ unclosed, kind }) => unclosed === true && kind !== 'placeholder');
  if (open !== undefined) return problem('unclosed', text, { ...open, end: open.start + 1 });
  const end = tokens.findIndex((token) => isSign(text, token, ';'));
  const first = tokens.find((token) => !isSign(text, token, '('));
  const behind = end === -1 ? undefined : tokens[end + 1];
  if (first === undefined || end === 0) return { kind: 'empty', start: 0, end: text.length, word: '' };
  if (behind !== undefined) return problem('several', text, behind);
  if (!reads(text, first)) return problem('not_reading', text, first);
  const stop = end === -1 ? text.length : (tokens[end]?.start ?? text.length);
  return { sql: text.slice(0, stop).trimEnd(), tokens: all.filter((token) => token.start < stop) };
}
