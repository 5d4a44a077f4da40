/**
 * Keeps queries to the data of the application. Whoever writes a query may be an agent that must not learn the product's
 * secrets: the read-only transaction stops writes, but not reading catalogues, settings, files or other sessions, nor
 * functions that act. The rules here allow what is known; what is not known is refused.
 *
 * 1. One statement that begins with SELECT, WITH, VALUES or TABLE, without words that write, lock or copy.
 * 2. No name of the system: `pg_…`, `information_schema`, `reg…` types (they look names up in catalogues).
 * 3. A name before `(` is in the list of callable.ts, and never qualified.
 * 4. With what the database says of the names in the query (GuardFacts): no other schema, no function of the application.
 *
 * What remains: operators and casts that the application itself has defined in its public schema.
 */
import { didYouMean } from '../../errors/suggestion.ts';
import { type ErrorWords, type Values, wordsOf } from '../../errors/vp-error.ts';
import { readStatement, type SqlProblem } from '../../scenario/sql-statement.ts';
import { callableFunctions, isCallable, isReserved } from './callable.ts';
import { behindParenthesis, type NamedToken, namedTokens } from './sql-names.ts';

/** What the database has under the names of a query. */
export type GuardFacts = {
  /** Schemas other than public. */
  readonly schemas: ReadonlySet<string>;
  /** Functions of the schema public. */
  readonly functions: ReadonlySet<string>;
  /** Those of them that can be called with a row, as in `orders.total`. */
  readonly rowFunctions: ReadonlySet<string>;
};

/** Why a query is not run: code, words with their cure, and the offset in the query where it stands. */
export type GuardRefusal = { readonly words: ErrorWords; readonly at: number };

/** Nothing is known about the database. */
export const noFacts: GuardFacts = { schemas: new Set(), functions: new Set(), rowFunctions: new Set() };

const longestQuery = 20_000;
/** Longer names are cut off by the server, in bytes, and would then be other names than those looked at here. */
const longestNameBytes = 63;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
const controlCharacter = /[\0-\x08\x0e-\x1f\x7f]/;
const plainNumber = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const writingWords = new Set(['insert', 'update', 'delete', 'merge', 'into', 'truncate', 'copy']);
const sessionWords = new Set([
  'current_user',
  'session_user',
  'current_role',
  'system_user',
  'user',
  'current_catalog',
]);
const catalogueTypes =
  /^reg(?:class|proc|procedure|oper|operator|type|role|namespace|config|dictionary|collation|database)$/;

type Refused = GuardRefusal | undefined;
/** A rule looks at the token `at`. */
type Rule = (tokens: readonly NamedToken[], at: number, facts: GuardFacts) => Refused;

/** Why `sql` must not run; undefined where it may. */
export function guardQuery(sql: string, facts: GuardFacts = noFacts): GuardRefusal | undefined {
  const unusable = textRefusal(sql);
  if (unusable !== undefined) return unusable;
  const statement = readStatement(sql);
  if (!('tokens' in statement)) return problemRefusal(statement);
  const tokens = namedTokens(sql, statement.tokens);
  for (let at = 0; at < tokens.length; at += 1) {
    for (const rule of rules) {
      const found = rule(tokens, at, facts);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The names of a query that the database is asked about for GuardFacts. */
export function namesOf(sql: string): readonly string[] {
  const statement = readStatement(sql);
  if (!('tokens' in statement)) return [];
  return [...new Set(namedTokens(sql, statement.tokens).flatMap(({ name }) => name ?? []))];
}

function refuse<
  C extends
    | 'DATABASE_QUERY_UNREADABLE'
    | 'DATABASE_QUERY_NOT_READING'
    | 'DATABASE_QUERY_SEVERAL'
    | 'DATABASE_QUERY_WRITES'
    | 'DATABASE_QUERY_SYSTEM'
    | 'DATABASE_QUERY_SCHEMA'
    | 'DATABASE_QUERY_FUNCTION',
>(code: C, at: number, values: Values<C>): GuardRefusal {
  return { words: wordsOf(code, values), at };
}

function unreadable(at: number, problem: string, instead: string): GuardRefusal {
  return refuse('DATABASE_QUERY_UNREADABLE', at, { problem, instead });
}

function textRefusal(sql: string): Refused {
  const control = controlCharacter.exec(sql);
  if (control !== null) return unreadable(control.index, 'it has a control character', 'remove it');
  if (sql.length <= longestQuery) return undefined;
  return unreadable(0, `it is longer than ${longestQuery} characters`, 'write a shorter one');
}

function problemRefusal({ kind, start, word }: SqlProblem): GuardRefusal {
  if (kind === 'several') return refuse('DATABASE_QUERY_SEVERAL', start, { word });
  if (kind === 'not_reading') return refuse('DATABASE_QUERY_NOT_READING', start, { word });
  if (kind === 'empty') return unreadable(start, 'it is empty', 'write a SELECT');
  return unreadable(start, `\`${word}\` is opened and never closed`, 'close the string, name or comment');
}

/** Spellings that servers of different versions read differently, or that hide a name. */
const oddToken: Rule = (tokens, at) => {
  const token = tokens[at];
  if (token === undefined) return undefined;
  const { kind, text, start, name = '' } = token;
  if (kind === 'identifier' && !text.startsWith('"'))
    return unreadable(start, `\`${text}\` has escapes in a name`, 'write the name as it is, in double quotes');
  if (kind === 'placeholder')
    return unreadable(start, `\`${text}\` stands for no value here`, 'use $1, $2 … and give the values');
  if (kind === 'number' && !plainNumber.test(text))
    return unreadable(start, `\`${text}\` is no plain number`, 'write numbers in decimal digits, without _');
  if (name !== '' && new TextEncoder().encode(name).length > longestNameBytes)
    return unreadable(start, `\`${text}\` is longer than a name can be`, 'write the name as the database has it');
  return undefined;
};

const writes: Rule = (tokens, at) => {
  const word = wordAt(tokens, at);
  if (word === undefined || tokens[at - 1]?.text === '.') return undefined;
  const next = wordAt(tokens, at + 1);
  const locks = word === 'for' && (next === 'share' || next === 'key' || next === 'no');
  if (!writingWords.has(word) && !locks) return undefined;
  const { text, start } = tokens[at] ?? { text: word, start: 0 };
  return refuse('DATABASE_QUERY_WRITES', start, { word: text.toUpperCase(), name: word });
};

/** The name of an unquoted word. */
function wordAt(tokens: readonly NamedToken[], at: number): string | undefined {
  return tokens[at]?.quoted === false ? tokens[at]?.name : undefined;
}

const systemNames: Rule = (tokens, at) => {
  const { name, quoted, start, text } = tokens[at] ?? {};
  if (name === undefined || start === undefined || text === undefined) return undefined;
  const isCatalogue = name.startsWith('pg_') || name === 'information_schema' || catalogueTypes.test(name);
  const isSession = quoted === false && sessionWords.has(name) && wordAt(tokens, at - 1) !== 'as';
  if (!isCatalogue && !isSession) return undefined;
  return isColumn(tokens, at) ? undefined : refuse('DATABASE_QUERY_SYSTEM', start, { name: text });
};

/** Behind an alias or table and not called. Not behind `public.`: extensions put views such as pg_stat_statements there. */
function isColumn(tokens: readonly NamedToken[], at: number): boolean {
  const [owner, point, next] = [tokens[at - 2]?.name, tokens[at - 1]?.text, tokens[at + 1]?.text];
  return point === '.' && owner !== undefined && next !== '(' && next !== '.' && owner !== 'public';
}

const calls: Rule = (tokens, at, facts) => {
  const token = tokens[at];
  if (token?.name === undefined || tokens[at + 1]?.text !== '(') return undefined;
  const { name, quoted, text, start } = token;
  const known = isCallable(name, quoted) && tokens[at - 1]?.text !== '.';
  if (known && (!facts.functions.has(name) || (!quoted && isReserved(name)))) return undefined;
  if (isListOfColumns(tokens, at)) return undefined;
  const hint = known ? '' : didYouMean(name, callableFunctions);
  return refuse('DATABASE_QUERY_FUNCTION', start, { name: text, hint });
};

/**
 * `AS name(…)`, `WITH name(…) AS`, `WITH RECURSIVE name(…)`, and a further `, name(…) AS (SELECT`: SELECT and WITH are
 * reserved, so that this cannot be the list of columns of a function's result.
 */
function isListOfColumns(tokens: readonly NamedToken[], at: number): boolean {
  const before = wordAt(tokens, at - 1);
  if (before === 'as' || before === 'with') return true;
  if (before === 'recursive' && wordAt(tokens, at - 2) === 'with') return true;
  if (tokens[at - 1]?.text !== ',') return false;
  let next = behindParenthesis(tokens, at + 1);
  if (wordAt(tokens, next) !== 'as') return false;
  next += 1;
  if (wordAt(tokens, next) === 'not') next += 1;
  if (wordAt(tokens, next) === 'materialized') next += 1;
  const opened = wordAt(tokens, next + 1);
  return tokens[next]?.text === '(' && (opened === 'select' || opened === 'with');
}

const qualified: Rule = (tokens, at, facts) => {
  const { name, start, text } = tokens[at] ?? {};
  if (name === undefined || start === undefined || text === undefined) return undefined;
  if (tokens[at + 1]?.text === '.' && facts.schemas.has(name))
    return refuse('DATABASE_QUERY_SCHEMA', start, { name: text });
  if (tokens[at - 1]?.text === '.' && facts.rowFunctions.has(name))
    return refuse('DATABASE_QUERY_FUNCTION', start, { name: text, hint: '' });
  return undefined;
};

/** `a OPERATOR(schema.+) b` names an operator of any schema. */
const operators: Rule = (tokens, at) => {
  const token = tokens[at];
  if (wordAt(tokens, at) !== 'operator' || token === undefined || tokens[at + 1]?.text !== '(') return undefined;
  return refuse('DATABASE_QUERY_FUNCTION', token.start, { name: token.text, hint: '' });
};

const rules: readonly Rule[] = [oddToken, writes, systemNames, operators, calls, qualified];
