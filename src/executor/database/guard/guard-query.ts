/**
 * Restricts queries to the application's data. The author of a query may be an agent that must not learn the product's
 * secrets: the read-only transaction prevents writes, but not reading catalogues, settings, files or other sessions,
 * nor functions with side effects. The rules are an allow list; everything unknown is refused.
 *
 * 1. One statement that begins with SELECT, WITH, VALUES or TABLE, without keywords that write, lock or copy.
 * 2. No system names: `pg_…`, `information_schema`, `reg…` types (they resolve names in catalogues).
 * 3. A name before `(` is in the list of callable.ts, and is never qualified.
 * 4. With the facts that the database reports about the names in the query (QueryCatalogue): no other schema, no function
 * of the application.
 *
 * Not covered: operators and casts that the application itself has defined in its public schema.
 */
import { formatSuggestion } from '../../../errors/suggestion.ts';
import { type ErrorText, type ErrorValues, formatError } from '../../../errors/vp-error.ts';
import { readStatement, type SqlProblem } from '../../../scenario/sql-statement.ts';
import { callableFunctions, isCallable, isReservedWord } from './callable.ts';
import { findParenthesisEnd, type NamedToken, namedTokens } from './sql-tokens.ts';

/** What the names of a query mean in the database. */
export type QueryCatalogue = {
  /** Schemas other than public. */
  readonly schemas: ReadonlySet<string>;
  /** Functions of the schema public. */
  readonly functions: ReadonlySet<string>;
  /** Functions that can be called with a row, as in `orders.total`. */
  readonly rowFunctions: ReadonlySet<string>;
  /** Tables that the query may read and of which row security may hide rows. */
  readonly tablesWithHiddenRows: ReadonlySet<string>;
};

/** Why a query is refused, and the offset in the query to which that refers. */
export type GuardRefusal = { readonly error: ErrorText; readonly offset: number };

/** For checks without a database connection. */
export const emptyQueryCatalogue: QueryCatalogue = {
  schemas: new Set(),
  functions: new Set(),
  rowFunctions: new Set(),
  tablesWithHiddenRows: new Set(),
};

const maxQueryLength = 20_000;
/** The server truncates longer names by bytes, so they would then be other names than those checked here. */
const maxNameBytes = 63;
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

type RuleResult = GuardRefusal | undefined;
/** Checks the token at `index`. */
type Rule = (tokens: readonly NamedToken[], index: number, facts: QueryCatalogue) => RuleResult;

/** Why `sql` must not run; undefined when it is allowed. */
export function guardQuery(sql: string, facts: QueryCatalogue = emptyQueryCatalogue): GuardRefusal | undefined {
  const textProblem = checkText(sql);
  if (textProblem !== undefined) return textProblem;
  const statement = readStatement(sql);
  if (!('tokens' in statement)) return toRefusal(statement);
  const tokens = namedTokens(sql, statement.tokens);
  for (let index = 0; index < tokens.length; index += 1) {
    for (const rule of rules) {
      const refusal = rule(tokens, index, facts);
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

/** The names of a query for which QueryCatalogue are read. */
export function extractNames(sql: string): readonly string[] {
  const statement = readStatement(sql);
  if (!('tokens' in statement)) return [];
  return [...new Set(namedTokens(sql, statement.tokens).flatMap(({ name }) => name ?? []))];
}

function createRefusal<
  C extends
    | 'DATABASE_QUERY_UNREADABLE'
    | 'DATABASE_QUERY_NOT_READING'
    | 'DATABASE_QUERY_SEVERAL'
    | 'DATABASE_QUERY_WRITES'
    | 'DATABASE_QUERY_SYSTEM'
    | 'DATABASE_QUERY_SCHEMA'
    | 'DATABASE_QUERY_FUNCTION',
>(code: C, offset: number, values: ErrorValues<C>): GuardRefusal {
  return { error: formatError(code, values), offset };
}

function createUnreadableRefusal(offset: number, problem: string, instead: string): GuardRefusal {
  return createRefusal('DATABASE_QUERY_UNREADABLE', offset, { problem, instead });
}

function checkText(sql: string): RuleResult {
  const control = controlCharacter.exec(sql);
  if (control !== null) return createUnreadableRefusal(control.index, 'it has a control character', 'remove it');
  if (sql.length <= maxQueryLength) return undefined;
  return createUnreadableRefusal(0, `it is longer than ${maxQueryLength} characters`, 'write a shorter one');
}

function toRefusal({ kind, start, word }: SqlProblem): GuardRefusal {
  if (kind === 'several') return createRefusal('DATABASE_QUERY_SEVERAL', start, { word });
  if (kind === 'not_reading') return createRefusal('DATABASE_QUERY_NOT_READING', start, { word });
  if (kind === 'empty') return createUnreadableRefusal(start, 'it is empty', 'write a SELECT');
  return createUnreadableRefusal(start, `\`${word}\` is never closed`, 'close the string, name or comment');
}

/** Refuses spellings that server versions interpret differently, or that hide a name. */
const refuseAmbiguousTokens: Rule = (tokens, index) => {
  const token = tokens[index];
  if (token === undefined) return undefined;
  const { kind, text, start, name = '' } = token;
  if (kind === 'identifier' && !text.startsWith('"'))
    return createUnreadableRefusal(
      start,
      `\`${text}\` has escapes in a name`,
      'write the name as it is, in double quotes',
    );
  if (kind === 'placeholder')
    return createUnreadableRefusal(start, `\`${text}\` has no value here`, 'use $1, $2 … and give the values');
  if (kind === 'number' && !plainNumber.test(text))
    return createUnreadableRefusal(
      start,
      `\`${text}\` is not a plain number`,
      'write numbers in decimal digits, without _',
    );
  if (name !== '' && new TextEncoder().encode(name).length > maxNameBytes)
    return createUnreadableRefusal(
      start,
      `\`${text}\` is longer than a name may be`,
      'write the name as the database has it',
    );
  return undefined;
};

const refuseWrites: Rule = (tokens, index) => {
  const word = getWord(tokens, index);
  if (word === undefined || tokens[index - 1]?.text === '.') return undefined;
  const next = getWord(tokens, index + 1);
  const locks = word === 'for' && (next === 'share' || next === 'key' || next === 'no');
  if (!writingWords.has(word) && !locks) return undefined;
  const { text, start } = tokens[index] ?? { text: word, start: 0 };
  return createRefusal('DATABASE_QUERY_WRITES', start, { word: text.toUpperCase(), name: word });
};

/** The name of an unquoted token. */
function getWord(tokens: readonly NamedToken[], index: number): string | undefined {
  return tokens[index]?.quoted === false ? tokens[index]?.name : undefined;
}

const refuseSystemNames: Rule = (tokens, index) => {
  const { name, quoted, start, text } = tokens[index] ?? {};
  if (name === undefined || start === undefined || text === undefined) return undefined;
  const isCatalogue = name.startsWith('pg_') || name === 'information_schema' || catalogueTypes.test(name);
  const isSession = quoted === false && sessionWords.has(name) && getWord(tokens, index - 1) !== 'as';
  if (!isCatalogue && !isSession) return undefined;
  return isColumnName(tokens, index) ? undefined : createRefusal('DATABASE_QUERY_SYSTEM', start, { name: text });
};

/**
 * True after an alias or table when not called. Not after `public.`: extensions put views such as pg_stat_statements
 * there.
 */
function isColumnName(tokens: readonly NamedToken[], index: number): boolean {
  const [owner, point, next] = [tokens[index - 2]?.name, tokens[index - 1]?.text, tokens[index + 1]?.text];
  return point === '.' && owner !== undefined && next !== '(' && next !== '.' && owner !== 'public';
}

const refuseUnknownCalls: Rule = (tokens, index, facts) => {
  const token = tokens[index];
  if (token?.name === undefined || tokens[index + 1]?.text !== '(') return undefined;
  const { name, quoted, text, start } = token;
  const isKnown = isCallable(name, quoted) && tokens[index - 1]?.text !== '.';
  if (isKnown && (!facts.functions.has(name) || (!quoted && isReservedWord(name)))) return undefined;
  if (isColumnList(tokens, index)) return undefined;
  const hint = isKnown ? '' : formatSuggestion(name, callableFunctions);
  return createRefusal('DATABASE_QUERY_FUNCTION', start, { name: text, hint });
};

/**
 * `AS name(…)`, `WITH name(…) AS`, `WITH RECURSIVE name(…)`, and a further `, name(…) AS (SELECT`: SELECT and WITH are
 * reserved, so this cannot be the column list of a function's result.
 */
function isColumnList(tokens: readonly NamedToken[], index: number): boolean {
  const previousWord = getWord(tokens, index - 1);
  if (previousWord === 'as' || previousWord === 'with') return true;
  if (previousWord === 'recursive' && getWord(tokens, index - 2) === 'with') return true;
  if (tokens[index - 1]?.text !== ',') return false;
  let next = findParenthesisEnd(tokens, index + 1);
  if (getWord(tokens, next) !== 'as') return false;
  next += 1;
  if (getWord(tokens, next) === 'not') next += 1;
  if (getWord(tokens, next) === 'materialized') next += 1;
  const firstWord = getWord(tokens, next + 1);
  return tokens[next]?.text === '(' && (firstWord === 'select' || firstWord === 'with');
}

const refuseOtherSchemas: Rule = (tokens, index, facts) => {
  const { name, start, text } = tokens[index] ?? {};
  if (name === undefined || start === undefined || text === undefined) return undefined;
  if (tokens[index + 1]?.text === '.' && facts.schemas.has(name))
    return createRefusal('DATABASE_QUERY_SCHEMA', start, { name: text });
  if (tokens[index - 1]?.text === '.' && facts.rowFunctions.has(name))
    return createRefusal('DATABASE_QUERY_FUNCTION', start, { name: text, hint: '' });
  return undefined;
};

/** `a OPERATOR(schema.+) b` names an operator of any schema. */
const refuseOperators: Rule = (tokens, index) => {
  const token = tokens[index];
  if (getWord(tokens, index) !== 'operator' || token === undefined || tokens[index + 1]?.text !== '(') return undefined;
  return createRefusal('DATABASE_QUERY_FUNCTION', token.start, { name: token.text, hint: '' });
};

const rules: readonly Rule[] = [
  refuseAmbiguousTokens,
  refuseWrites,
  refuseSystemNames,
  refuseOperators,
  refuseUnknownCalls,
  refuseOtherSchemas,
];
