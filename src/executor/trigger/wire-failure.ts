/** Converts connection errors to failures that name the address and the next step. */
import { findConnectionProblem, formatConnectionProblem } from '../../errors/connection-problems.ts';
import { getErrorCode, isTlsCode, isUnresolvedCode } from '../../outbound/connection-error-codes.ts';
import { interimFloodCode, otherProtocolCode } from '../../outbound/interim-responses.ts';
import { headLimitBytes } from '../../outbound/target-connection.ts';
import type { WireStage } from '../../outbound/wire.ts';
import type { BaseUrlSource } from '../../project/project-config.ts';
import type { ExecutionFailure } from '../../run/evidence.ts';
import { createFailure } from '../execution-failure.ts';
import { formatAddress, getAddressHints } from './target-address.ts';
import { createTlsFailure } from './tls-failure.ts';

/** Where the error occurred. `status` and `bytes` (of the body) are those received before it. */
export type WireFailureContext = {
  readonly origin: string;
  readonly baseUrlSource: BaseUrlSource;
  readonly stage: WireStage;
  readonly status: number | undefined;
  readonly bytes: number;
};

const closedCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET']);
const unsendableCodes = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

export function createWireFailure(error: Error, context: WireFailureContext): ExecutionFailure {
  const code = getErrorCode(error);
  if (unsendableCodes.has(code)) return createFailure('EXECUTOR_REQUEST_UNSENDABLE', { reason: error.message });
  const overTls = context.origin.startsWith('https:');
  if (overTls && (isTlsCode(code) || (context.stage === 'connect' && closedCodes.has(code)))) {
    return createTlsFailure(error, code, formatAddress(context.origin), getAddressHints(context.baseUrlSource));
  }
  return context.stage === 'connect'
    ? createConnectFailure(error, code, context)
    : createResponseFailure(error, code, context);
}

function createConnectFailure(
  error: Error,
  code: string,
  { origin, baseUrlSource }: WireFailureContext,
): ExecutionFailure {
  const address = formatAddress(origin);
  const { setting, host: host_hint, port: port_hint } = getAddressHints(baseUrlSource);
  if (isUnresolvedCode(code)) {
    return createFailure('EXECUTOR_TARGET_UNRESOLVED', {
      host: new URL(origin).hostname,
      reason: code,
      setting,
      host_hint,
    });
  }
  if (code === 'ECONNREFUSED') return createFailure('EXECUTOR_TARGET_REFUSED', { address, setting, port_hint });
  if (closedCodes.has(code))
    return createFailure('EXECUTOR_TARGET_CLOSED', { address, reason: describeClose(error, code), hint: '' });
  const problem = findConnectionProblem(code);
  const reason = problem ? formatConnectionProblem(problem) : code || error.message;
  return createFailure('EXECUTOR_TARGET_UNREACHABLE', { address, reason });
}

function createResponseFailure(error: Error, code: string, context: WireFailureContext): ExecutionFailure {
  const address = formatAddress(context.origin);
  const { setting } = getAddressHints(context.baseUrlSource);
  const unexpected = describeUnexpectedResponse(error) ?? describeInvalidHead(code, context.stage);
  if (unexpected) return createFailure('EXECUTOR_TARGET_NOT_HTTP', { address, reason: unexpected, setting });
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return createFailure('EXECUTOR_TARGET_HEAD_TOO_LARGE', { address, limit: headLimitBytes });
  }
  const parserMessage = readParserReason(error);
  if (parserMessage !== undefined && !prematureEndPattern.test(parserMessage))
    return createParserFailure(error, parserMessage, address, setting);
  return createBrokenOffFailure(describeClose(error, code), address, setting, context);
}

function createBrokenOffFailure(
  reason: string,
  address: string,
  setting: string,
  { origin, stage, status, bytes }: WireFailureContext,
): ExecutionFailure {
  if (stage === 'body')
    return createFailure('EXECUTOR_BODY_BROKEN_OFF', { address, status: status ?? 0, bytes, reason });
  const closeReason = stage === 'head' ? `in the middle of the header lines, ${reason}` : reason;
  // Servers that expect TLS often just close when they get plain HTTP.
  const mayExpectTls = stage === 'sent' && origin.startsWith('http:');
  const hint = mayExpectTls ? `; if the port speaks TLS, write https:// in ${setting}` : '';
  return createFailure('EXECUTOR_TARGET_CLOSED', { address, reason: closeReason, hint });
}

/** Heads that undici refuses after its parser accepted them. */
function describeInvalidHead(code: string, stage: WireStage): string | undefined {
  if (stage !== 'sent' && stage !== 'head') return undefined;
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'it has more than one Content-Length';
  return code === 'ERR_ASSERTION' ? 'its status is not a number from 100 to 599' : undefined;
}

function describeUnexpectedResponse(error: Error): string | undefined {
  const code = getErrorCode(error);
  if (code === interimFloodCode || code === otherProtocolCode) return error.message;
  // undici rejects these two with its own messages.
  if (error.message === 'bad upgrade') return 'it switched protocols (101) without being asked';
  if (error.message === 'bad response') return 'it sent an unrequested response';
  return undefined;
}

/** The reason of undici's parser without its prefix; undefined for every other error. */
function readParserReason({ name, message }: Error): string | undefined {
  if (name !== 'HTTPParserError') return undefined;
  return /\((.+)\)$/.exec(message)?.[1] ?? message;
}

const prematureEndPattern = /\bEOF\b/;

function createParserFailure(error: Error, reason: string, address: string, setting: string): ExecutionFailure {
  const data: unknown = 'data' in error ? error.data : undefined;
  if (typeof data === 'string' && isTlsRecord(data))
    return createFailure('EXECUTOR_TLS_EXPECTED', { address, setting });
  return createFailure('EXECUTOR_TARGET_NOT_HTTP', { address, reason, setting });
}

/** A TLS record begins with its type, 20 to 23, and the major version 3 (RFC 8446 section 5.1). */
function isTlsRecord(data: string): boolean {
  const type = data.charCodeAt(0);
  return type >= 20 && type <= 23 && data.charCodeAt(1) === 3;
}

function describeClose(error: Error, code: string): string {
  if (code === 'ECONNRESET' || code === 'ECONNABORTED') return 'the connection was reset';
  if (code === 'EPIPE') return 'it stopped reading';
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'fewer bytes than its Content-Length';
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_SOCKET') return 'it closed the connection';
  return code || error.message;
}
