/** Handles requests of the newest revision, which need no session. */

import { CLIENT_CAPABILITIES_META_KEY, type JSONRPCRequest, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isObject } from '../../json/json-object.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { createHeaderMismatchResponse } from '../downstream/header-mismatch.ts';
import type { McpReply, McpRequest } from '../downstream/mcp-http.ts';
import { toNewestResult } from '../downstream/newest-result.ts';
import { isKnownMethod, type KnownMethod, parseRpcParams } from '../downstream/request-params.ts';
import { createRpcErrorResponse, toNewestRpcError } from '../downstream/rpc-response.ts';
import { createDiscoverResult } from '../downstream/server-description.ts';
import { isTaskMethod } from '../tasks/task-results.ts';
import type { IncomingRequest } from './call-context.ts';
import { createNewestContext, type DirectCall, parseModernCall } from './direct-call.ts';
import { createHubDescription } from './hub-description.ts';
import { answerHubRequest, forwardHubCall } from './hub-handlers.ts';
import { getHubList, type ListMethod } from './hub-lists.ts';
import { type SubscriptionDependencies, startSubscription } from './newest-subscription.ts';
import { findParamMismatch } from './param-headers.ts';
import { createCall, isDirectCallMethod, parseAnswers } from './validated-call.ts';

type NewestMethod = Extract<
  KnownMethod,
  ListMethod | 'server/discover' | 'subscriptions/listen' | DirectCall['method']
>;

const methods: readonly string[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'server/discover',
  'subscriptions/listen',
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
] satisfies NewestMethod[];

function isNewestMethod(method: string): method is NewestMethod {
  return isKnownMethod(method) && methods.includes(method);
}

export class NewestRequests {
  readonly #dependencies: SubscriptionDependencies;

  constructor(dependencies: SubscriptionDependencies) {
    this.#dependencies = dependencies;
  }

  /** The response to a valid call, without the schemas of the protocol; undefined for other messages. */
  startCall(incoming: IncomingRequest, request: McpRequest, body: unknown): Promise<McpReply> | undefined {
    const call = parseModernCall(incoming, request, body);
    return call && this.#forwardCall(incoming, request, call);
  }

  async handle(incoming: IncomingRequest, request: McpRequest, message: JSONRPCRequest): Promise<McpReply> {
    const { id, method, params = {} } = message;
    if (!isNewestMethod(method) && !isTaskMethod(method, 'newest')) {
      const error = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' };
      return createRpcErrorResponse(404, error, id);
    }
    try {
      if (method === 'subscriptions/listen')
        return await startSubscription(this.#dependencies, incoming, request, message);
      if (!isDirectCallMethod(method, 'newest')) return await this.#answer(incoming.principal, message, method);
      const meta = isObject(params._meta) ? params._meta : {};
      const context = createNewestContext(incoming, meta, parseAnswers(params));
      return await this.#forwardCall(incoming, request, createCall(message, method, context, true));
    } catch (error) {
      return createRpcErrorResponse(200, toNewestRpcError(error), id);
    }
  }

  async #forwardCall(incoming: IncomingRequest, request: McpRequest, call: DirectCall): Promise<McpReply> {
    const { handlers } = this.#dependencies;
    if (call.method !== 'tools/call') return forwardHubCall(handlers, incoming, request, call);
    const { principal } = incoming;
    const resolved = await handlers.catalogue.findTool(principal, call.name).catch((): undefined => undefined);
    const mismatch = resolved && findParamMismatch(resolved.original, call.arguments, request.headers);
    const isNamed = resolved && mismatch !== undefined && (await handlers.catalogue.isVisible(principal, resolved));
    // About a tool that is not visible to them, callers learn only what the policy says.
    const header = isNamed ? mismatch : undefined;
    if (header !== undefined) return createHeaderMismatchResponse({ header }, call.id);
    return await forwardHubCall(handlers, incoming, request, { ...call, resolved });
  }

  #answer(
    principal: HubPrincipal,
    { id, params }: JSONRPCRequest,
    method: ListMethod | 'server/discover',
  ): Promise<McpReply> {
    const { handlers } = this.#dependencies;
    const { catalogue, version } = handlers;
    const description = createHubDescription(principal, version);
    const client = Object(params?._meta)[CLIENT_CAPABILITIES_META_KEY];
    return answerHubRequest(handlers, id, async () => {
      const result =
        method === 'server/discover'
          ? createDiscoverResult(description, client)
          : await getHubList(catalogue, principal, method, parseRpcParams(method, params)?.cursor, client);
      return toNewestResult(method, result, description.info);
    });
  }
}
