/** Faults of a run, with words from the error table. */
import { type Values, wordsOf } from '../errors/vp-error.ts';
import type { Fault, FaultKind } from '../run/evidence.ts';

/**
 * Which failure kind each error of the executor is. The list of kinds is closed; what fits none of them, such as a text that
 * this executor cannot read, is a `protocol_error`: the two sides do not understand each other. Not
 * `evidence_unavailable`, which says that a log or a database could not be asked.
 */
const kinds = {
  EXECUTOR_TARGET_UNRESOLVED: 'target_unreachable',
  EXECUTOR_TARGET_REFUSED: 'target_unreachable',
  EXECUTOR_TARGET_UNREACHABLE: 'target_unreachable',
  EXECUTOR_TIMEOUT_CONNECT: 'timeout',
  EXECUTOR_TIMEOUT_HEADERS: 'timeout',
  EXECUTOR_TIMEOUT_BODY: 'timeout',
  EXECUTOR_TARGET_CLOSED: 'protocol_error',
  EXECUTOR_BODY_BROKEN_OFF: 'protocol_error',
  EXECUTOR_TARGET_NOT_HTTP: 'protocol_error',
  EXECUTOR_TARGET_HEAD_TOO_LARGE: 'protocol_error',
  EXECUTOR_TLS_EXPECTED: 'protocol_error',
  EXECUTOR_TLS_NOT_SPOKEN: 'protocol_error',
  EXECUTOR_TLS_UNTRUSTED: 'protocol_error',
  EXECUTOR_TLS_NAME: 'protocol_error',
  EXECUTOR_TLS_EXPIRED: 'protocol_error',
  EXECUTOR_TLS_FAILED: 'protocol_error',
  EXECUTOR_BODY_UNDECODABLE: 'protocol_error',
  EXECUTOR_REQUEST_UNSENDABLE: 'protocol_error',
  EXECUTOR_SCENARIO_UNREADABLE: 'protocol_error',
  EXECUTOR_JUDGING_FAILED: 'protocol_error',
  EXECUTOR_RESPONSE_TOO_LARGE: 'response_too_large',
  EXECUTOR_LEASE_ENDED: 'executor_lost',
  EXECUTOR_RUN_FORGOTTEN: 'executor_lost',
  EXECUTOR_RUN_CANCELLED: 'cancelled',
} as const satisfies Record<string, FaultKind>;

/** An error that is the failure of a run. */
export type FaultCode = keyof typeof kinds;

/** The fault `code`, its words filled with `values`. */
export function faultOf<C extends FaultCode>(code: C, values: Values<C>): Fault {
  const { message, cure } = wordsOf(code, values);
  return { kind: kinds[code], message, cure };
}
