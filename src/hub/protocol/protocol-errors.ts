/** Recognizes errors of the MCP SDK without loading it: that takes a tenth of the start of a control plane, and is done at the first call of a hub. */
import type { ProtocolError } from '@modelcontextprotocol/server';

/** JSON-RPC 2.0 section 5.1. */
export const internalErrorCode = -32_603;

/** The class has its name in every copy of the SDK, and in its subclasses. */
export function isProtocolError(error: unknown): error is ProtocolError {
  return error instanceof Error && error.name === 'ProtocolError';
}
