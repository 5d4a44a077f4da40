/**
 * Errors of a connection as codes of the error table, for the operator: they name the address, the user and the server's own words,
 * which never hold a password. Callers of the control plane get `toUnavailableError` instead.
 */
import { findConnectionProblem } from '../../errors/connection-problems.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import {
  getErrorCode,
  isExpiryCode,
  isTlsCode,
  isUnresolvedCode,
  isUntrustedCode,
} from '../../outbound/connection-error-codes.ts';
import { formatHost, type PostgresHost, type PostgresSettings } from './connection-settings.ts';

/** The message of pg when the server refuses TLS. */
const tlsRefusedMessage = 'The server does not support SSL connections';
/** What pg_hba.conf says about connections without TLS, in English; other languages are STORE_DATABASE_SIGN_IN. */
const tlsDemandedPattern = /no encryption|SSL off|SSL required|server requires SSL/i;
const closedCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

type ErrorScope = Pick<PostgresSettings, 'user' | 'database' | 'sslmode'> & {
  readonly host: PostgresHost;
  /** Whether the session had begun. */
  readonly isConnected: boolean;
};

/** Describes an error of pg, the system, TLS, the server or a pooler. Errors that are described already are returned as they are. */
export function toDatabaseError(error: unknown, scope: ErrorScope): VpError {
  if (error instanceof VpError) return error;
  const thrown = error instanceof Error ? error : new Error(String(error));
  const state = getSqlState(thrown);
  return state === undefined ? toSocketError(thrown, scope) : toServerError(thrown, state, scope);
}

/** The same for errors in the middle of the use of a pool, which do not say which host they come from. */
export function createErrorDescriber(settings: PostgresSettings): (error: unknown) => VpError {
  const [host = { host: '', port: 0 }] = settings.hosts;
  return (error) => toDatabaseError(error, { ...settings, host, isConnected: true });
}

/** SQLSTATE (PostgreSQL documentation, appendix A), which does not depend on the server's language. */
export function getSqlState(error: unknown): string | undefined {
  const code = getErrorCode(error);
  return error instanceof Error && 'severity' in error && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** True when the server has no TLS, or when pg_hba.conf accepts this user only with TLS or only without it. */
export function isTlsModeRefused(error: unknown): boolean {
  return error instanceof Error && (error.message === tlsRefusedMessage || getSqlState(error) === '28000');
}

function toSocketError(error: Error, { host, sslmode, isConnected }: ErrorScope): VpError {
  const address = formatHost(host);
  const code = getErrorCode(error);
  const context = { cause: error, detail: error.message };
  if (error.message === tlsRefusedMessage)
    return vpError('STORE_DATABASE_TLS_UNAVAILABLE', { address, sslmode }, context);
  if (isTlsCode(code)) {
    const reason = explainTls(error, code);
    return vpError('STORE_DATABASE_TLS_UNTRUSTED', { address, reason }, context);
  }
  // A pool connects in the middle of its use.
  const isRefused = code === 'ECONNREFUSED' || code === 'ENOENT' || isUnresolvedCode(code);
  if (isConnected && !isRefused)
    return vpError('STORE_DATABASE_LOST', { address, reason: code || error.message }, context);
  return vpError('STORE_DATABASE_UNREACHABLE', { address, reason: explainUnreachable(error, code, host) }, context);
}

function explainTls(error: Error, code: string): string {
  if (isExpiryCode(code)) return 'it has expired, or is not valid yet';
  if (isUntrustedCode(code)) return `its authority is not known (${code})`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' && 'reason' in error) return String(error.reason);
  return code;
}

function explainUnreachable(error: Error, code: string, { host }: PostgresHost): string {
  if (isUnresolvedCode(code)) return `the host name ${host} does not resolve (${code})`;
  if (code === 'ENOENT') return 'there is no Unix socket of that port in the folder';
  if (code === 'EINVAL' && host.startsWith('/')) return 'the path of a Unix socket has at most 107 bytes';
  if (closedCodes.has(code) || error.message.startsWith('Connection terminated'))
    return 'the connection was closed before the session began: is it a PostgreSQL server?';
  return findConnectionProblem(code)?.meaning ?? (code || error.message);
}

/** PgBouncer has the state of protocol violations for nearly everything, also for what the server behind it said. */
const pooledStates: readonly (readonly [RegExp, string])[] = [
  [/database .* does not exist|no such database/i, '3D000'],
  [/authentication failed|no such user|role .* does not exist|login rejected/i, '28P01'],
  [/no more connections allowed|too many|query_wait_timeout/i, '53300'],
  [/starting up|shutting down/i, '57P03'],
  [/server conn(ection)? (crashed|closed)|server login|server closed|client_idle_timeout|server_lifetime/i, '08006'],
];

function resolveState(state: string, reason: string): string {
  if (state !== '08P01') return state;
  return pooledStates.find(([pattern]) => pattern.test(reason))?.[1] ?? state;
}

/** A parameter that PgBouncer refuses, its statement mode, or a statement that was prepared on another connection of a pool. */
function isPoolerRefusal(state: string, reason: string): boolean {
  const pattern = /pgbouncer|startup parameter|pool|transaction blocks? not allowed|transactions not allowed/i;
  return state === '26000' || state === '42P05' || (state === '08P01' && pattern.test(reason));
}

function toServerError(error: Error, ownState: string, scope: ErrorScope): VpError {
  const { user, database, host, sslmode } = scope;
  const address = formatHost(host);
  const reason = error.message.replaceAll(/\s+/g, ' ').trim();
  const state = resolveState(ownState, reason);
  const context = { cause: error, detail: `${ownState}: ${reason}` };
  // Other modes have tried TLS too.
  if (sslmode === 'disable' && tlsDemandedPattern.test(reason))
    return vpError('STORE_DATABASE_TLS_REQUIRED', { address, user, reason }, context);
  if (state.startsWith('28')) return vpError('STORE_DATABASE_SIGN_IN', { address, user, reason }, context);
  if (state === '3D000') return vpError('STORE_DATABASE_UNKNOWN', { address, database, user }, context);
  if (state === '53300') return vpError('STORE_DATABASE_FULL', { address, user, reason }, context);
  if (state === '53100') return vpError('STORE_DATABASE_DISK_FULL', { address, reason }, context);
  if (state === '57P03') return vpError('STORE_DATABASE_STARTING', { address, reason }, context);
  if (/^57P0[1245]$/.test(state) || state === '08006')
    return vpError('STORE_DATABASE_LOST', { address, reason }, context);
  if (state === '42501') return vpError('STORE_DATABASE_RIGHTS', { user, database, reason }, context);
  if (state === '25006') return vpError('STORE_DATABASE_READ_ONLY', { address, database, reason }, context);
  if (isPoolerRefusal(state, reason)) return vpError('STORE_DATABASE_POOLER', { address, reason }, context);
  return vpError('STORE_DATABASE_FAILED', { address, reason, state }, context);
}

/** What callers of the control plane learn: the code alone. The log has the rest as the cause. */
export function toUnavailableError(error: VpError): VpError {
  return vpError('STORE_DATABASE_UNAVAILABLE', { reason: error.code }, { cause: error, detail: error.message });
}
