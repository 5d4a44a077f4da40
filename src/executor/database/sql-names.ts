/** The tokens of a statement as the guard looks at them: without comments, names as the server folds them. */
import type { SqlToken } from '../../scenario/sql-lexer.ts';

/** `name`: of words in small letters, of quoted identifiers as it is without quotes; undefined for everything else. */
export type NamedToken = {
  readonly kind: SqlToken['kind'];
  /** As written. */
  readonly text: string;
  readonly name: string | undefined;
  readonly quoted: boolean;
  /** The offset in the query. */
  readonly start: number;
};

/** PostgreSQL folds ASCII letters only; others could fold into ASCII here and not there. */
function folded(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function named(sql: string, { kind, start, end }: SqlToken): NamedToken {
  const text = sql.slice(start, end);
  const quoted = kind === 'identifier';
  if (quoted) return { kind, text, start, quoted, name: text.slice(1, -1).replaceAll('""', '"') };
  return { kind, text, start, quoted, name: kind === 'word' ? folded(text) : undefined };
}

/** The tokens of `sql` that the server acts on. */
export function namedTokens(sql: string, tokens: readonly SqlToken[]): NamedToken[] {
  return tokens.filter(({ kind }) => kind !== 'comment').map((token) => named(sql, token));
}

/** Behind the parenthesis that closes the one at `from`; the number of tokens where none does. */
export function behindParenthesis(tokens: readonly NamedToken[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const text = tokens[at]?.text;
    if (text === '(') depth += 1;
    else if (text === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return tokens.length;
}
