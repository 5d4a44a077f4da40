/** What an error of a statement or a commit means for the operations of a store. */
import { VpError, vpError } from '../../errors/vp-error.ts';
import { getErrorCode } from '../../outbound/connection-error-codes.ts';
import { notActiveState } from './begin.ts';
import { getSqlState, toUnavailableError } from './connection-errors.ts';

/** Thrown to run the others of a group again without `culprit`, whose error is `cause`. */
export class Evicted<Culprit> extends Error {
  readonly culprit: Culprit;
  override readonly cause: unknown;

  constructor(culprit: Culprit, cause: unknown) {
    super('an operation failed after it had written');
    this.culprit = culprit;
    this.cause = cause;
  }
}

/** The connection is being opened again, or PostgreSQL comes up: a moment later it may work. */
const passingCodes = new Set([
  'STORE_DATABASE_UNREACHABLE',
  'STORE_DATABASE_STARTING',
  'STORE_DATABASE_FULL',
  'STORE_DATABASE_READ_ONLY',
  'STORE_DATABASE_LOST',
]);

/** The server ends connections, or lost its own to a standby; a pooler lost its server. */
const lossStates = /^(08|57P0[1245]|25P03|25P04|25006|58)/;
const lossMessages = /Connection terminated|not queryable|Query read timeout|Connection ended/i;

/** True when the connection has ended, or must not be used again. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof VpError) return passingCodes.has(error.code);
  const state = getSqlState(error);
  if (state !== undefined) return lossStates.test(state);
  return lossMessages.test(error.message) || /^(ECONN|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH)/.test(getErrorCode(error));
}

/** Serialization, deadlock, lock timeout, too many connections, starting, a plan from before a migration. */
const retryableStates = /^(40001|40P01|55P03|53300|57P03|0A000)$/;

/** True when the same transaction may succeed a moment later. */
export function isRetryable(error: unknown): boolean {
  return retryableStates.test(getSqlState(error) ?? '') || isConnectionLoss(error);
}

/** True for an error that one statement caused: a constraint, a value, a text. */
function isStatementFault(error: unknown): boolean {
  const state = getSqlState(error) ?? '';
  return /^(22|23|42)/.test(state) && state !== '42501';
}

/** A statement that was prepared before a migration, and whose columns are others now. */
export function isPlanOutdated(error: unknown): boolean {
  return getSqlState(error) === '0A000';
}

/**
 * For `ConnectionPool.with`: a connection stays usable after errors of operations and statements. One with an outdated plan would
 * have it at the next attempt, too.
 */
export function isUsableAfter(error: unknown): boolean {
  const isUnknown = error instanceof VpError && error.code === 'STORE_OUTCOME_UNKNOWN';
  return !isUnknown && !isPlanOutdated(error) && !isConnectionLoss(error);
}

/**
 * The error of an operation; errors of its own are returned unchanged. `describe` explains an error of PostgreSQL to the
 * operator, whose log gets it as the cause.
 */
export function toStoreError(thrown: unknown, describe: (error: unknown) => VpError): unknown {
  if (thrown instanceof VpError)
    return thrown.code.startsWith('STORE_DATABASE_') && thrown.code !== 'STORE_DATABASE_UNAVAILABLE'
      ? toUnavailableError(thrown)
      : thrown;
  const state = getSqlState(thrown);
  if (state === undefined && !isConnectionLoss(thrown)) return thrown;
  const detail = `${state}: ${thrown instanceof Error ? thrown.message : ''}`;
  if (isStatementFault(thrown))
    return vpError('INTERNAL', {}, { detail: `a statement failed: ${detail}`, cause: thrown });
  if (state === notActiveState) return vpError('STORE_NOT_ACTIVE', {}, { cause: thrown });
  return toUnavailableError(describe(thrown));
}
