/** What went wrong with the database, in words that name the next step. Server messages may quote data: they are redacted. */
import { type ErrorWords, VpError, wordsOf } from '../../errors/vp-error.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import { isTlsCode } from '../tls-fault.ts';
import { codeOf } from '../wire-fault.ts';
import { noTlsMessage } from './connection.ts';
import type { DatabaseLimits } from './limits.ts';
import { type ServerError, serverErrorOf } from './server-error.ts';
import { addressOfDatabase, quotedName } from './words.ts';

/** Around the query. `sql` is undefined where none was sent yet. */
export type ProblemContext = {
  readonly target: DatabaseTarget;
  readonly limits: DatabaseLimits;
  readonly sql: string | undefined;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
};

const longestReason = 500;
const unresolved = /^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_.*)$/;
const lost = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

const staying: ReadonlySet<string> = new Set([
  'DATABASE_QUERY_SYNTAX',
  'DATABASE_TABLE_UNKNOWN',
  'DATABASE_COLUMN_UNKNOWN',
  'DATABASE_FUNCTION_UNKNOWN',
  'DATABASE_PARAMETER_TYPE',
  'DATABASE_PERMISSION',
  'DATABASE_WRITE_REFUSED',
]);

/** True where the query would have the same problem a moment later. */
export function staysProblem(code: string): boolean {
  return staying.has(code);
}

/** The words of what pg, the system, TLS, the server or we ourselves raised. */
export function problemOf(error: unknown, context: ProblemContext): ErrorWords {
  if (error instanceof VpError) return { code: error.code, message: error.message, cure: error.cure };
  const server = serverErrorOf(error);
  if (server !== undefined) return serverProblem(server, context);
  return connectionProblem(error instanceof Error ? error : new Error(String(error)), context);
}

function reasonOf(text: string, { redact }: ProblemContext): string {
  const shown = redact(text).replaceAll(/\s+/g, ' ').trim();
  return shown.length > longestReason ? `${shown.slice(0, longestReason)}…` : shown;
}

function connectionProblem(error: Error, context: ProblemContext): ErrorWords {
  const { target, sql } = context;
  const address = addressOfDatabase(target);
  const code = codeOf(error);
  const reason = reasonOf(code || error.message, context);
  if (unresolved.test(code)) return wordsOf('DATABASE_UNRESOLVED', { host: target.host, reason });
  if (code === 'ECONNREFUSED') return wordsOf('DATABASE_REFUSED', { address });
  if (isTlsCode(code) || error.message === noTlsMessage) {
    return wordsOf('DATABASE_TLS', { address, reason: reasonOf(error.message, context) });
  }
  const broke = lost.has(code) || error.message.startsWith('Connection terminated');
  if (broke && sql !== undefined) return wordsOf('DATABASE_CONNECTION_LOST', { address, reason });
  return wordsOf('DATABASE_CONNECTION_FAILED', { address, reason });
}

/** By SQLSTATE (PostgreSQL, appendix A), which does not depend on the server's language. */
function serverProblem(error: ServerError, context: ProblemContext): ErrorWords {
  return ofConnection(error, context) ?? ofQuery(error, context);
}

function ofConnection({ state, message }: ServerError, context: ProblemContext): ErrorWords | undefined {
  const { database, username: user } = context.target;
  const address = addressOfDatabase(context.target);
  const reason = reasonOf(message, context);
  if (state.startsWith('28')) return wordsOf('DATABASE_SIGN_IN', { address, user, reason });
  if (state === '3D000') return wordsOf('DATABASE_UNKNOWN', { database, address });
  if (state === '53300') return wordsOf('DATABASE_FULL', { address, user, reason });
  if (/^57P0[1235]$/.test(state)) return wordsOf('DATABASE_STARTING', { address, reason });
  return undefined;
}

function ofQuery(error: ServerError, context: ProblemContext): ErrorWords {
  const { state, hint: told } = error;
  const reason = reasonOf(error.message, context);
  const place = placeOf(error, context.sql);
  const hint = told === undefined ? '' : `${reasonOf(told, context)} `;
  const seconds = context.limits.statementTimeoutMs / 1000;
  switch (state) {
    case '42601':
      return wordsOf('DATABASE_QUERY_SYNTAX', { place, reason });
    case '42P01':
      return wordsOf('DATABASE_TABLE_UNKNOWN', { place, reason, hint });
    case '42703':
      return wordsOf('DATABASE_COLUMN_UNKNOWN', { place, reason, hint });
    case '42725':
    case '42883':
      return wordsOf('DATABASE_FUNCTION_UNKNOWN', { place, reason });
    case '42P08':
    case '42P18':
      return wordsOf('DATABASE_PARAMETER_TYPE', { place, reason });
    case '42501':
      return wordsOf('DATABASE_PERMISSION', { user: context.target.username, reason, grant: grantOf(error, context) });
    case '25006':
      return wordsOf('DATABASE_WRITE_REFUSED', { reason });
    case '57014':
      return wordsOf('DATABASE_TIMEOUT', { seconds });
    case '55P03':
      return wordsOf('DATABASE_LOCKED', { seconds: context.limits.lockTimeoutMs / 1000 });
    default:
      if (state.startsWith('22')) return wordsOf('DATABASE_VALUE', { place, reason });
      return wordsOf('DATABASE_QUERY_FAILED', { place, reason, state });
  }
}

/** Where the server stopped reading: ` (line 2, column 5)`. */
function placeOf({ position }: ServerError, sql: string | undefined): string {
  if (position === undefined || sql === undefined) return '';
  const before = [...sql].slice(0, position - 1).join('');
  const line = before.split('\n').length;
  return ` (line ${line}, column ${[...before.slice(before.lastIndexOf('\n') + 1)].length + 1})`;
}

/** The statement that helps. A server that speaks another language than English does not tell us the table. */
function grantOf({ message }: ServerError, { target }: ProblemContext): string {
  const user = quotedName(target.username);
  const [, kind, name] = /^permission denied for (table|view|materialized view|schema) (.+)$/.exec(message) ?? [];
  if (name === undefined) return `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${user}`;
  return kind === 'schema'
    ? `GRANT USAGE ON SCHEMA ${quotedName(name)} TO ${user}`
    : `GRANT SELECT ON ${quotedName(name)} TO ${user}`;
}
