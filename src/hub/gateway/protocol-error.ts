import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ErrorCode } from '../../errors/table.ts';
import { toVpError, VpError } from '../../errors/vp-error.ts';

/** What the caller names is not there, or is not there any more. */
const unknownCodes: ReadonlySet<ErrorCode> = new Set([
  'HUB_TOOL_UNKNOWN',
  'HUB_INPUT_UNKNOWN',
  'HUB_TASK_UNKNOWN',
  'CONNECTION_REMOVED',
]);

export function createUnknownMethodError(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
}

export function toProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const vpError = toVpError(error);
  const { code, message, cure } = vpError;
  const errorCode = unknownCodes.has(code) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  const protocolError = new ProtocolError(errorCode, `${message}; ${cure}`, { code, message, cure });
  // Tells our errors from those of servers, which may have any data.
  protocolError.cause = vpError;
  return protocolError;
}

/** The caller is referred to the log, so what went wrong must be there. */
export function reportInternalError(error: unknown, onError: (error: unknown) => void): void {
  if (error instanceof ProtocolError && error.cause instanceof VpError && error.cause.code === 'INTERNAL')
    onError(error.cause);
}

/** Converts errors into protocol errors. `onError` gets internal ones, on the way out of the hub. */
export function withProtocolErrors<T>(work: Promise<T>, onError?: (error: unknown) => void): Promise<T> {
  return work.catch((error: unknown) => {
    const converted = toThrownError(error);
    if (onError) reportInternalError(converted, onError);
    throw converted;
  });
}

function toThrownError(error: unknown): Error {
  if (error instanceof Error && 'code' in error && typeof error.code === 'number') return error;
  if (error instanceof RangeError) return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  return toProtocolError(error);
}
