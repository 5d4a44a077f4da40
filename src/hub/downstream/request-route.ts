/** Decides which revision the messages of a POST belong to, and refuses what no revision allows. */

import {
  classifyInboundRequest,
  type InboundClassificationOutcome,
  isInitializeRequest,
  isJsonContentType,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { createHeaderMismatchResponse, findHeaderMismatch } from './header-mismatch.ts';
import type { HeaderReader } from './mcp-http.ts';
import { newestRevision, olderRevisions } from './revisions.ts';
import { createRpcErrorResponse, findRequestId } from './rpc-response.ts';

/** A notification of the newest revision needs no handling: its requests are cancelled by closing their responses. */
export type RequestRoute =
  | { readonly kind: 'refused'; readonly response: Response }
  | { readonly kind: 'older'; readonly messages: readonly JSONRPCMessage[]; readonly isBatch: boolean }
  | { readonly kind: 'newest'; readonly message: JSONRPCRequest }
  | { readonly kind: 'newestNotification' };

const maxBatchSize = 100;

export function routeRequest(headers: HeaderReader, body: unknown): RequestRoute {
  const outcome = classify(headers, body);
  if (outcome.kind === 'legacy') {
    // The classification has checked that these are messages.
    const messages = (Array.isArray(body) ? body : [body]) as JSONRPCMessage[];
    return { kind: 'older', messages, isBatch: Array.isArray(body) };
  }
  const refused = (response: Response): RequestRoute => ({ kind: 'refused', response });
  if (!isJsonContentType(headers.get('content-type'))) return refused(createMediaTypeResponse());
  const id = findRequestId(body);
  if (outcome.kind === 'reject') {
    const { httpStatus, code, message, data } = outcome;
    return refused(createRpcErrorResponse(httpStatus, { code, message, data }, id));
  }
  const { revision } = outcome.classification;
  if (revision !== newestRevision) {
    const { code, message, data } = new UnsupportedProtocolVersionError({
      supported: [newestRevision],
      requested: revision ?? 'unknown',
    });
    return refused(createRpcErrorResponse(400, { code, message, data }, id));
  }
  if (outcome.messageKind === 'notification') return { kind: 'newestNotification' };
  const mismatch = findHeaderMismatch(headers, outcome.message);
  return mismatch ? refused(createHeaderMismatchResponse(mismatch, id)) : { kind: 'newest', message: outcome.message };
}

function classify(headers: HeaderReader, body: unknown): InboundClassificationOutcome {
  const find = (name: string) => headers.get(name) ?? undefined;
  const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = [
    find('mcp-protocol-version'),
    find('mcp-method'),
    find('mcp-name'),
  ];
  return classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(protocolVersionHeader === undefined ? {} : { protocolVersionHeader }),
    ...(mcpMethodHeader === undefined ? {} : { mcpMethodHeader }),
    ...(mcpNameHeader === undefined ? {} : { mcpNameHeader }),
  });
}

/** What a POST of an older revision must have, whether there is a session or not. */
export function findOlderRefusal(headers: HeaderReader, messages: readonly JSONRPCMessage[]): Response | undefined {
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    const message = 'Not Acceptable: Client must accept both application/json and text/event-stream';
    return createRpcErrorResponse(406, { code: -32000, message });
  }
  if (!isJsonContentType(headers.get('content-type'))) return createMediaTypeResponse();
  if (messages.length > maxBatchSize)
    return createInvalidRequestResponse(`Invalid Request: Batch must not exceed ${maxBatchSize} messages`);
  const isStart = messages.some(isInitializeRequest);
  if (isStart && messages.length > 1)
    return createInvalidRequestResponse('Invalid Request: Only one initialization request is allowed');
  return isStart ? undefined : findRevisionRefusal(headers);
}

/** Status 400 for a revision in the header that no session can have. */
export function findRevisionRefusal(headers: HeaderReader): Response | undefined {
  const revision = headers.get('mcp-protocol-version');
  if (revision === null || olderRevisions.includes(revision)) return undefined;
  const supported = `supported versions: ${olderRevisions.join(', ')}`;
  const message = `Bad Request: Unsupported protocol version: ${revision} (${supported})`;
  return createRpcErrorResponse(400, { code: -32000, message });
}

function createInvalidRequestResponse(message: string): Response {
  return createRpcErrorResponse(400, { code: ProtocolErrorCode.InvalidRequest, message });
}

function createMediaTypeResponse(): Response {
  const message = 'Unsupported Media Type: Content-Type must be application/json';
  return createRpcErrorResponse(415, { code: -32000, message });
}
