/** Handles messages of older revisions, single or in a batch, in a session or without one. */

import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { isObject } from '../../json/json-object.ts';
import { type McpReply, type McpRequest, toWebResponse } from '../downstream/mcp-http.ts';
import { mergeResponses } from '../downstream/merged-stream.ts';
import { toOlderTool } from '../downstream/older-result.ts';
import { isKnownMethod, type KnownMethod, parseRpcParams } from '../downstream/request-params.ts';
import { findOlderRefusal, type RequestRoute } from '../downstream/request-route.ts';
import { hasTaskRequests } from '../downstream/revisions.ts';
import {
  createRpcErrorResponse,
  createUnknownSessionResponse,
  formatResult,
  formatRpcError,
  toRpcError,
} from '../downstream/rpc-response.ts';
import { createInitializeResult } from '../downstream/server-description.ts';
import { isTaskMethod } from '../tasks/task-results.ts';
import type { IncomingRequest } from './call-context.ts';
import { createOlderContext, parseLegacyCall } from './direct-call.ts';
import { createHubDescription } from './hub-description.ts';
import { answerHubRequest, forwardHubCall, type HubHandlers } from './hub-handlers.ts';
import { getHubList } from './hub-lists.ts';
import type { McpSession } from './mcp-session.ts';
import type { McpSessions } from './mcp-sessions.ts';
import type { McpResult } from './pending-calls.ts';
import { createUnknownMethodError } from './protocol-error.ts';
import { createCall, isDirectCallMethod } from './validated-call.ts';

type OlderRoute = Extract<RequestRoute, { readonly kind: 'older' }>;

type OlderRequest = {
  readonly incoming: IncomingRequest;
  readonly request: McpRequest;
  readonly session: McpSession | undefined;
  /** The responses to a batch share a stream, which cannot be resumed. */
  readonly isBatch: boolean;
};

const jsonHeaders = { 'Content-Type': 'application/json' };

export class OlderRequests {
  readonly #handlers: HubHandlers;
  readonly #sessions: McpSessions;

  constructor(handlers: HubHandlers, sessions: McpSessions) {
    this.#handlers = handlers;
    this.#sessions = sessions;
  }

  /** The response to a valid call, without the schemas of the protocol; undefined for other messages. */
  startCall(incoming: IncomingRequest, request: McpRequest, body: unknown): Promise<McpReply> | undefined {
    const sessionId = request.headers.get('mcp-session-id');
    const session = sessionId === null ? undefined : this.#sessions.find(incoming.principal, sessionId);
    if (sessionId !== null && !session) return undefined;
    const call = parseLegacyCall(incoming, request, body, session);
    return call && forwardHubCall(this.#handlers, incoming, request, call, session);
  }

  async handle(
    incoming: IncomingRequest,
    request: McpRequest,
    { messages, isBatch }: Pick<OlderRoute, 'messages' | 'isBatch'>,
  ): Promise<McpReply> {
    const [first] = messages;
    if (!isBatch && first && isInitializeRequest(first) && isJSONRPCRequest(first))
      return findOlderRefusal(request.headers, messages) ?? this.#start(incoming, first);
    const sessionId = request.headers.get('mcp-session-id');
    const session = sessionId === null ? undefined : this.#sessions.find(incoming.principal, sessionId);
    if (sessionId !== null && !session) return createUnknownSessionResponse();
    const refusal = findOlderRefusal(request.headers, messages) ?? findRestartRefusal(session, messages);
    if (refusal) return refusal;
    const olderRequest = { incoming, request, session, isBatch };
    const responses = messages.flatMap((message) => this.#handleMessage(olderRequest, message) ?? []);
    const [response] = responses;
    if (!response) return new Response(null, { status: 202 });
    return isBatch ? mergeResponses(responses.map(async (reply) => toWebResponse(await reply))) : response;
  }

  /** Handles `initialize`. */
  #start({ principal }: IncomingRequest, { id, params }: JSONRPCRequest): Response {
    try {
      const start = parseRpcParams('initialize', params);
      const session = this.#sessions.start(principal, start);
      const result = createInitializeResult(createHubDescription(principal, this.#handlers.version), start);
      const headers = { ...jsonHeaders, 'Mcp-Session-Id': session.id };
      return new Response(formatResult(id, JSON.stringify(result)), { headers });
    } catch (error) {
      return new Response(formatRpcError(id, toRpcError(error)), { headers: jsonHeaders });
    }
  }

  /** Undefined for a message that has no response. */
  #handleMessage(olderRequest: OlderRequest, message: JSONRPCMessage): Promise<McpReply> | undefined {
    const { incoming, request, session, isBatch } = olderRequest;
    if (!isJSONRPCRequest(message)) {
      const isRootsChange = 'method' in message && message.method === 'notifications/roots/list_changed';
      if (session && isRootsChange) this.#handlers.announceRoots(incoming.principal, session);
      else session?.calls.handle(message);
      return undefined;
    }
    const { id, method, params } = message;
    if (
      !isDirectCallMethod(method, 'older') ||
      (isTaskMethod(method, 'older') && !hasTaskRequests(getRevision(olderRequest)))
    )
      return answerHubRequest(
        this.#handlers,
        id,
        (signal) => this.#answer(olderRequest, method, params, signal),
        session?.calls,
      );
    try {
      const meta = isObject(params?._meta) ? params._meta : undefined;
      const call = createCall(message, method, createOlderContext(incoming, meta, session), false);
      return forwardHubCall(
        this.#handlers,
        incoming,
        request,
        call,
        isBatch && session ? { calls: session.calls } : session,
      );
    } catch (error) {
      return Promise.resolve(new Response(formatRpcError(id, toRpcError(error)), { headers: jsonHeaders }));
    }
  }

  async #answer(
    olderRequest: OlderRequest,
    method: string,
    params: JSONRPCRequest['params'],
    signal: AbortSignal,
  ): Promise<McpResult> {
    if (method === 'tasks/list' && hasTaskRequests(getRevision(olderRequest))) {
      const { incoming, session } = olderRequest;
      const context = { ...createOlderContext(incoming, undefined, session), signal, notify: () => {} };
      return this.#handlers.tasks.list(context, parseRpcParams(method, params)?.cursor);
    }
    if (isKnownMethod(method)) return this.#answerKnown(olderRequest, method, params);
    throw createUnknownMethodError();
  }

  async #answerKnown(
    olderRequest: OlderRequest,
    method: KnownMethod,
    params: JSONRPCRequest['params'],
  ): Promise<McpResult> {
    const { incoming, session } = olderRequest;
    const { principal } = incoming;
    const { catalogue, version, watch } = this.#handlers;
    if (method === 'ping') return {};
    if (method === 'initialize')
      return createInitializeResult(createHubDescription(principal, version), parseRpcParams(method, params));
    if (method === 'tools/list') {
      const list = await getHubList(
        catalogue,
        principal,
        method,
        parseRpcParams(method, params)?.cursor,
        session?.capabilities,
      );
      return Array.isArray(list.tools) ? { ...list, tools: list.tools.map(toOlderTool) } : list;
    }
    if (method === 'prompts/list' || method === 'resources/list' || method === 'resources/templates/list')
      return getHubList(catalogue, principal, method, parseRpcParams(method, params)?.cursor, session?.capabilities);
    if (method === 'logging/setLevel') {
      const { level } = parseRpcParams(method, params);
      if (session) session.logLevel = level;
      return {};
    }
    if (method === 'resources/subscribe' && session) {
      await session.subscribe(parseRpcParams(method, params).uri, (uri) =>
        watch(principal, uri, () => session.unsubscribe(uri)),
      );
      return {};
    }
    if (method === 'resources/unsubscribe' && session) {
      session.unsubscribe(parseRpcParams(method, params).uri);
      return {};
    }
    throw createUnknownMethodError();
  }
}

function getRevision({ request, session }: OlderRequest): string {
  return session?.revision ?? request.headers.get('mcp-protocol-version') ?? '2025-03-26';
}

/** A session starts once. */
function findRestartRefusal(
  session: McpSession | undefined,
  messages: readonly JSONRPCMessage[],
): Response | undefined {
  if (!session || !messages.some(isInitializeRequest)) return undefined;
  const message = 'Invalid Request: Server already initialized';
  return createRpcErrorResponse(400, { code: ProtocolErrorCode.InvalidRequest, message });
}
