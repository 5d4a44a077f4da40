/** JSON-RPC responses, as text and as HTTP responses. */
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type JsonParts, joinParts } from '../../json/json-parts.ts';

/** Longer texts are not copied into others, in characters. */
const largeLength = 65_536;

export type RpcId = string | number;
export type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };

export function formatResult(id: RpcId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`;
}

/** The same for a result in parts: one text, or a large one in parts. */
export function formatResultParts(id: RpcId, resultParts: JsonParts): JsonParts {
  if (resultParts.every(({ length }) => length < largeLength)) return [formatResult(id, joinParts(resultParts))];
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, ...resultParts, '}'];
}

export function formatRpcError(id: RpcId, error: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** Converts a server's error. */
export function toRpcError(error: unknown): RpcError {
  const { code, message, data } = Object(error);
  const text = typeof message === 'string' ? message : 'Internal error';
  return { code: Number.isSafeInteger(code) ? code : ProtocolErrorCode.InternalError, message: text, data };
}

const olderNotFoundCode = -32002;

/** The same for the newest revision, which has no code of its own for resources that do not exist. */
export function toNewestRpcError(error: unknown): RpcError {
  const rpcError = toRpcError(error);
  return rpcError.code === olderNotFoundCode ? { ...rpcError, code: ProtocolErrorCode.InvalidParams } : rpcError;
}

/** For a request that is refused as a whole; `id` is null if it is unknown. */
export function createRpcErrorResponse(
  status: number,
  error: RpcError,
  id: RpcId | null = null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', id, error }, { status, headers });
}

/** The id of a request, for an error about it. */
export function findRequestId(body: unknown): RpcId | null {
  const { method, id } = Object(body);
  if (typeof method !== 'string') return null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** `allowed` are the methods of HTTP that the address has. */
export function createMethodNotAllowedResponse(allowed: string): Response {
  return createRpcErrorResponse(405, { code: -32000, message: 'Method not allowed.' }, null, { Allow: allowed });
}

/** Status 400: a request with the same id is in flight in the session. */
export function createDuplicateIdResponse(id: RpcId): Response {
  const message = 'another request with this id is still being handled';
  return createRpcErrorResponse(400, { code: ProtocolErrorCode.InvalidRequest, message }, id);
}

/** Status 400: what followed the event in `Last-Event-ID` is not retained any more. */
export function createLostEventsResponse(): Response {
  const message =
    'the events after Last-Event-ID are not retained any more: look whether the request had an effect before you send it again';
  return createRpcErrorResponse(400, { code: ProtocolErrorCode.InvalidRequest, message });
}

export function createUnknownSessionResponse(): Response {
  return createRpcErrorResponse(404, { code: -32001, message: 'Session not found' });
}
