/** Errors as the protocol tells them. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { asVpError } from '../../errors/vp-error.ts';

/** An error of ours as the protocol tells errors. */
export function protocolError(thrown: unknown): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  const { code, message, cure } = asVpError(thrown);
  const isUnknown = code === 'HUB_TOOL_UNKNOWN' || code === 'HUB_INPUT_UNKNOWN';
  const number = isUnknown ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(number, `${message}; ${cure}`, { code, message, cure });
}
