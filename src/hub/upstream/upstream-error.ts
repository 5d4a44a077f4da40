/** Errors of upstream servers, without text of the server, which may echo a credential. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import {
  type ConnectionProblem,
  explainConnectionError,
  findCodedError,
  formatConnectionProblem,
  trustSteps,
} from '../../errors/connection-problems.ts';
import { errorTable } from '../../errors/table.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import { ServerMessagesError } from './server-messages.ts';

/** Finds our error in the chain of causes: the client wraps what its fetch throws. */
function findVpError(thrown: unknown, depth = 0): VpError | undefined {
  if (thrown instanceof VpError) return thrown;
  if (!(thrown instanceof Error) || depth > 5) return undefined;
  const nested = thrown instanceof SdkError ? getDataCause(thrown.data) : undefined;
  return findVpError(thrown.cause, depth + 1) ?? findVpError(nested, depth + 1);
}

function getDataCause(data: unknown): unknown {
  return isObject(data) && 'cause' in data ? data.cause : undefined;
}

/** Returns undefined if the failure is not an HTTP status. */
function getHttpStatus(thrown: unknown): number | undefined {
  if (thrown instanceof SdkHttpError) return thrown.status;
  if (!(thrown instanceof Error) || thrown instanceof ProtocolError) return undefined;
  if ('code' in thrown && typeof thrown.code === 'number') return thrown.code;
  // The older HTTP with SSE reports it only in the message.
  const [, statusText] = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(thrown.message) ?? [];
  return statusText === undefined ? undefined : Number(statusText);
}

/**
 * True if the server lost the session or is of another era now. It did nothing, so the request may be sent again.
 * `isModern`: the server was of the newest era, which reports errors as JSON-RPC.
 */
export function isSessionLost(thrown: unknown, isModern: boolean): boolean {
  const status = getHttpStatus(thrown);
  if (status === 404) return true;
  if (status !== 400) return false;
  const text = thrown instanceof SdkHttpError ? String(thrown.data.text ?? '') : Object(thrown).message;
  return isModern || /session|initializ|-3202[0-2]/i.test(String(text));
}

/** True for the server's own JSON-RPC error, which is passed on. */
export function isServerError(thrown: unknown): thrown is ProtocolError {
  return thrown instanceof ProtocolError;
}

/** Loop Detected (RFC 5842), with which a hub refuses its own requests. */
export const loopDetectedStatus = 508;

const invalidResultCodes: readonly unknown[] = [
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.ClientHttpUnexpectedContent,
  SdkErrorCode.ListPaginationExceeded,
];

type FailedConnection = { readonly name: string; readonly url?: string | undefined };

/** Our own errors stay as they are. `isClosed`: the hub has closed the connection, which interrupts what is in flight. */
export function toUpstreamError(
  { name: connection, url }: FailedConnection,
  thrown: unknown,
  isClosed = false,
): VpError {
  const vpErrorInChain = findVpError(thrown);
  if (vpErrorInChain) return vpErrorInChain;
  if (isClosed) return vpError('UPSTREAM_CLOSED', { connection }, { cause: thrown });
  if (thrown instanceof ServerMessagesError)
    return vpError('UPSTREAM_MESSAGES_EXCEEDED', { connection, limit: thrown.subject }, { cause: thrown });
  const statusCode = getHttpStatus(thrown);
  const cause = { cause: thrown };
  if (thrown instanceof UnauthorizedError || statusCode === 401) {
    return vpError('UPSTREAM_SIGN_IN_NEEDED', { connection }, cause);
  }
  if (statusCode === loopDetectedStatus) return vpError('UPSTREAM_LOOP', { connection }, cause);
  if (thrown instanceof SdkError && invalidResultCodes.includes(thrown.code)) {
    return vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: thrown.code.toLowerCase() }, cause);
  }
  if (thrown instanceof SyntaxError || (thrown instanceof Error && thrown.name === 'ZodError')) {
    return vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: 'not JSON-RPC' }, cause);
  }
  if (statusCode === undefined || statusCode < 300) {
    const problem = explainConnectionError(thrown, { url: url ?? '', trustStep: trustSteps.controlPlane });
    if (problem) return createUnreachableError(connection, problem, thrown);
  }
  return vpError('UPSTREAM_UNREACHABLE', { connection, problem: describeFailure(thrown, statusCode) }, cause);
}

function createUnreachableError(connection: string, problem: ConnectionProblem, thrown: unknown): VpError {
  const values = { connection, problem: formatConnectionProblem(problem) };
  const error = vpError('UPSTREAM_UNREACHABLE', values, { cause: thrown });
  return problem.step === undefined ? error : error.withCure(problem.step);
}

/** For the state of a connection, which people read without the fix: the message, with the step of its reason where it has one. */
export function describeLastError({ code, message, cure }: VpError): string {
  const hasStep = code === 'UPSTREAM_UNREACHABLE' && cure !== errorTable[code].cure;
  return hasStep ? `${message}; ${cure}` : message;
}

function describeFailure(thrown: unknown, status: number | undefined): string {
  if (status !== undefined && status >= 300) return `HTTP ${status}`;
  const code = findSystemCode(thrown);
  if (code !== undefined) return code;
  if (thrown instanceof SdkError) return thrown.code.toLowerCase().replaceAll('_', ' ');
  return 'the connection was interrupted';
}

/** The codes of the SDK are words of its own. */
function findSystemCode(thrown: unknown): string | undefined {
  const coded = findCodedError(thrown);
  return coded?.error instanceof SdkError ? undefined : coded?.code;
}
