import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { toVpError } from '../../errors/vp-error.ts';

export function toProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const { code, message, cure } = toVpError(error);
  const isUnknown = code === 'HUB_TOOL_UNKNOWN' || code === 'HUB_INPUT_UNKNOWN' || code === 'HUB_TASK_UNKNOWN';
  const errorCode = isUnknown ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(errorCode, `${message}; ${cure}`, { code, message, cure });
}

/** Converts errors into protocol errors. */
export function withProtocolErrors<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') throw error;
    if (error instanceof RangeError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw toProtocolError(error);
  });
}
