/** Failures of a run, with texts from the error table. */
import { type ErrorValues, formatError } from '../errors/vp-error.ts';
import type { ExecutionFailure, ExecutionFailureKind } from '../run/evidence.ts';

/**
 * The failure kind of each executor error. The list of kinds is closed; errors that fit none, such as a scenario that
 * this executor cannot read, are a `protocol_error`: the two sides do not understand each other. They are not
 * `evidence_unavailable`, which means that a log or a database could not be read.
 */
const kindByCode = {
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
  EXECUTOR_TOOL_UNANSWERED: 'protocol_error',
  EXECUTOR_SOCKET_INVALID: 'protocol_error',
  EXECUTOR_GRPC_SCHEMA_MISSING: 'protocol_error',
  EXECUTOR_GRPC_SCHEMA_INVALID: 'protocol_error',
  EXECUTOR_GRPC_METHOD_UNKNOWN: 'protocol_error',
  EXECUTOR_GRPC_MESSAGE_INVALID: 'protocol_error',
  EXECUTOR_GRPC_STREAM: 'protocol_error',
  EXECUTOR_GRPC_NOT_HTTP2: 'protocol_error',
  EXECUTOR_GRPC_BROKEN: 'protocol_error',
  EXECUTOR_REQUEST_UNSENDABLE: 'protocol_error',
  EXECUTOR_SCENARIO_UNREADABLE: 'protocol_error',
  EXECUTOR_JUDGING_FAILED: 'protocol_error',
  EXECUTOR_RESPONSE_TOO_LARGE: 'response_too_large',
  EXECUTOR_LEASE_ENDED: 'executor_lost',
  EXECUTOR_RUN_FORGOTTEN: 'executor_lost',
  EXECUTOR_RUN_INTERRUPTED: 'executor_lost',
  EXECUTOR_JOURNAL_UNWRITTEN: 'executor_lost',
  EXECUTOR_RUN_CANCELLED: 'cancelled',
} as const satisfies Record<string, ExecutionFailureKind>;

/** An error code that is the failure of a run. */
export type ExecutionFailureCode = keyof typeof kindByCode;

export function createFailure<C extends ExecutionFailureCode>(code: C, values: ErrorValues<C>): ExecutionFailure {
  const { message, cure } = formatError(code, values);
  return { kind: kindByCode[code], message, cure };
}
