/** `Mcp-Method` and `Mcp-Name`: headers of the newest revision that repeat members of the request (SEP-2243). */

import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { decodeHeaderValue } from '../protocol/header-value.ts';
import type { HeaderReader } from './mcp-http.ts';
import { createRpcErrorResponse } from './rpc-response.ts';

type Mismatch = { readonly header: string; readonly body?: string };

const headerMismatchCode = -32020;
/** The member of the params that `Mcp-Name` repeats. */
const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Status 400: a header and the body disagree. */
export function createHeaderMismatchResponse({ header, body }: Mismatch, id: string | number | null): Response {
  const message = `Bad Request: the request headers and body disagree: ${body ?? header}`;
  const mismatch = body === undefined ? { header } : { header, body };
  return createRpcErrorResponse(400, { code: headerMismatchCode, message, data: { mismatch } }, id);
}

/** Returns the required header that is missing or disagrees with the request; the values that exist were compared before. */
export function findHeaderMismatch(
  headers: HeaderReader,
  { method, params = {} }: Pick<JSONRPCRequest, 'method' | 'params'>,
): Mismatch | undefined {
  const missing = (body: string): Mismatch => ({ header: '(missing)', body });
  if (!headers.has('mcp-protocol-version'))
    return missing(`the body names a protocol version but the required MCP-Protocol-Version header is absent`);
  if (!headers.has('mcp-method'))
    return missing(`the body names method ${method} but the required Mcp-Method header is absent`);
  const member = Object.hasOwn(nameMembers, method) ? nameMembers[method] : undefined;
  const name = member === undefined ? undefined : params[member];
  const header = headers.get('mcp-name')?.trim();
  if (member === undefined || (header === undefined && typeof name !== 'string')) return undefined;
  const bodyText = `the body carries params.${member}="${String(name)}"`;
  if (header === undefined) return missing(`${bodyText} but the required Mcp-Name header is absent`);
  const decoded = decodeHeaderValue(header);
  if (decoded === undefined) return { header, body: 'the Mcp-Name header carries an invalid Base64 sentinel value' };
  if (typeof name !== 'string' || decoded === name) return undefined;
  return { header, body: `${bodyText} but the Mcp-Name header names "${decoded}"` };
}
