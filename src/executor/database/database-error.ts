/** Describes database errors with the next step. Server messages may quote data, so they are redacted. */
import { type ErrorText, formatError, VpError } from '../../errors/vp-error.ts';
import { getErrorCode, isTlsCode, isUnresolvedCode } from '../../outbound/connection-error-codes.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import { tlsRefusedMessage } from './database-connection.ts';
import type { DatabaseLimits } from './database-limits.ts';
import { formatDatabaseAddress, quoteName, suggestPolicy } from './format.ts';
import { parseServerError, type ServerError } from './server-error.ts';

/** `sql` is undefined when no query was sent yet. */
export type DatabaseErrorContext = {
  readonly target: DatabaseTarget;
  readonly limits: DatabaseLimits;
  readonly sql: string | undefined;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
};

const maxReasonLength = 500;
const lostCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

const lastingCodes: ReadonlySet<string> = new Set([
  'DATABASE_QUERY_SYNTAX',
  'DATABASE_TABLE_UNKNOWN',
  'DATABASE_COLUMN_UNKNOWN',
  'DATABASE_FUNCTION_UNKNOWN',
  'DATABASE_PARAMETER_TYPE',
  'DATABASE_PERMISSION',
  'DATABASE_ROWS_HIDDEN',
  'DATABASE_WRITE_REFUSED',
]);

/** True when retrying the query would fail with the same problem. */
export function isPermanentDatabaseError(code: string): boolean {
  return lastingCodes.has(code);
}

/** Describes an error raised by pg, the system, TLS, the server or this code. */
export function describeDatabaseError(error: unknown, context: DatabaseErrorContext): ErrorText {
  if (error instanceof VpError) return { code: error.code, message: error.message, cure: error.cure };
  const server = parseServerError(error);
  if (server !== undefined) return describeServerError(server, context);
  return describeSocketError(error instanceof Error ? error : new Error(String(error)), context);
}

function formatReason(text: string, { redact }: DatabaseErrorContext): string {
  const redacted = redact(text).replaceAll(/\s+/g, ' ').trim();
  return redacted.length > maxReasonLength ? `${redacted.slice(0, maxReasonLength)}…` : redacted;
}

function describeSocketError(error: Error, context: DatabaseErrorContext): ErrorText {
  const { target, sql } = context;
  const address = formatDatabaseAddress(target);
  const code = getErrorCode(error);
  const reason = formatReason(code || error.message, context);
  if (isUnresolvedCode(code)) return formatError('DATABASE_UNRESOLVED', { host: target.host, reason });
  if (code === 'ECONNREFUSED') return formatError('DATABASE_REFUSED', { address });
  if (isTlsCode(code) || error.message === tlsRefusedMessage) {
    return formatError('DATABASE_TLS', { address, reason: formatReason(error.message, context) });
  }
  const wasLost = lostCodes.has(code) || error.message.startsWith('Connection terminated');
  if (wasLost && sql !== undefined) return formatError('DATABASE_CONNECTION_LOST', { address, reason });
  return formatError('DATABASE_CONNECTION_FAILED', { address, reason });
}

/** By SQLSTATE (PostgreSQL, appendix A), which does not depend on the server's language. */
function describeServerError(error: ServerError, context: DatabaseErrorContext): ErrorText {
  return describeConnectionError(error, context) ?? describeQueryError(error, context);
}

function describeConnectionError(
  { state, message }: ServerError,
  context: DatabaseErrorContext,
): ErrorText | undefined {
  const { database, username: user } = context.target;
  const address = formatDatabaseAddress(context.target);
  const reason = formatReason(message, context);
  if (state.startsWith('28')) return formatError('DATABASE_SIGN_IN', { address, user, reason });
  if (state === '3D000') return formatError('DATABASE_UNKNOWN', { database, address });
  if (state === '53300') return formatError('DATABASE_FULL', { address, user, reason });
  if (/^57P0[1235]$/.test(state)) return formatError('DATABASE_STARTING', { address, reason });
  return undefined;
}

function describeQueryError(error: ServerError, context: DatabaseErrorContext): ErrorText {
  const { state, hint: serverHint } = error;
  const reason = formatReason(error.message, context);
  const position = formatPosition(error, context.sql);
  const hint = serverHint === undefined ? '' : `${formatReason(serverHint, context)} `;
  const seconds = context.limits.statementTimeoutMs / 1000;
  switch (state) {
    case '42601':
      return formatError('DATABASE_QUERY_SYNTAX', { position, reason });
    case '42P01':
      return formatError('DATABASE_TABLE_UNKNOWN', { position, reason, hint });
    case '42703':
      return formatError('DATABASE_COLUMN_UNKNOWN', { position, reason, hint });
    case '42725':
    case '42883':
      return formatError('DATABASE_FUNCTION_UNKNOWN', { position, reason });
    case '42P08':
    case '42P18':
      return formatError('DATABASE_PARAMETER_TYPE', { position, reason });
    case '42501':
      if (error.routine === 'check_enable_rls') return describeHiddenRows(error, context);
      return formatError('DATABASE_PERMISSION', {
        user: context.target.username,
        reason,
        grant: suggestGrant(error, context),
      });
    case '25006':
      return formatError('DATABASE_WRITE_REFUSED', { reason });
    case '57014':
      return formatError('DATABASE_TIMEOUT', { seconds });
    case '55P03':
      return formatError('DATABASE_LOCKED', { seconds: context.limits.lockTimeoutMs / 1000 });
    default:
      if (state.startsWith('22')) return formatError('DATABASE_VALUE', { position, reason });
      return formatError('DATABASE_QUERY_FAILED', { position, reason, state });
  }
}

/** The position of a syntax error: ` (line 2, column 5)`. */
function formatPosition({ position }: ServerError, sql: string | undefined): string {
  if (position === undefined || sql === undefined) return '';
  const textBefore = [...sql].slice(0, position - 1).join('');
  const line = textBefore.split('\n').length;
  return ` (line ${line}, column ${[...textBefore.slice(textBefore.lastIndexOf('\n') + 1)].length + 1})`;
}

/** Messages in other languages than English do not reveal the table. */
function describeHiddenRows({ message }: ServerError, { target }: DatabaseErrorContext): ErrorText {
  const [, name] = /for table "(.+)"$/.exec(message) ?? [];
  return formatError('DATABASE_ROWS_HIDDEN', {
    user: target.username,
    table: name === undefined ? 'a table of the query' : `\`${name}\``,
    policy: suggestPolicy(name === undefined ? '…' : quoteName(name), target.username),
  });
}

/** The GRANT statement that fixes it. Messages in other languages than English do not reveal the table. */
function suggestGrant({ message }: ServerError, { target }: DatabaseErrorContext): string {
  const user = quoteName(target.username);
  const [, kind, name] = /^permission denied for (table|view|materialized view|schema) (.+)$/.exec(message) ?? [];
  if (name === undefined) return `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${user}`;
  return kind === 'schema'
    ? `GRANT USAGE ON SCHEMA ${quoteName(name)} TO ${user}`
    : `GRANT SELECT ON ${quoteName(name)} TO ${user}`;
}
