/** The tokens of a statement for the guard: without comments, with names folded as the server folds them. */
import type { SqlToken } from '../../../scenario/sql-lexer.ts';

/** `name`: lower-case for words, unquoted for quoted identifiers, undefined for everything else. */
export type NamedToken = {
  readonly kind: SqlToken['kind'];
  /** As written in the query. */
  readonly text: string;
  readonly name: string | undefined;
  readonly quoted: boolean;
  /** Offset in the query. */
  readonly start: number;
};

/** PostgreSQL folds ASCII letters only; other letters could fold into ASCII here but not there. */
function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function toNamedToken(sql: string, { kind, start, end }: SqlToken): NamedToken {
  const text = sql.slice(start, end);
  const quoted = kind === 'identifier';
  if (quoted) return { kind, text, start, quoted, name: text.slice(1, -1).replaceAll('""', '"') };
  return { kind, text, start, quoted, name: kind === 'word' ? foldCase(text) : undefined };
}

/** The tokens of `sql` without comments. */
export function namedTokens(sql: string, tokens: readonly SqlToken[]): NamedToken[] {
  return tokens.filter(({ kind }) => kind !== 'comment').map((token) => toNamedToken(sql, token));
}

/** The index after the parenthesis that closes the one at `start`; the number of tokens when none does. */
export function findParenthesisEnd(tokens: readonly NamedToken[], start: number): number {
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    const text = tokens[index]?.text;
    if (text === '(') depth += 1;
    else if (text === ')') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return tokens.length;
}
