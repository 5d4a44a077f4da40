/** Handles requests of the newest revision, which need no session. */

import { type JSONRPCRequest, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { VpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import { createHeaderMismatchResponse } from '../downstream/header-mismatch.ts';
import type { McpReply, McpRequest } from '../downstream/mcp-http.ts';
import { toNewestResult } from '../downstream/newest-result.ts';
import { isKnownMethod, type KnownMethod, parseRpcParams } from '../downstream/request-params.ts';
import { createRpcErrorResponse, toRpcError } from '../downstream/rpc-response.ts';
import { createDiscoverResult } from '../downstream/server-description.ts';
import type { Subscriptions } from '../downstream/subscriptions.ts';
import { isTaskMethod } from '../tasks/task-results.ts';
import type { HubPrincipal } from '../types.ts';
import type { IncomingRequest } from './call-context.ts';
import { createNewestContext, type DirectCall, parseModernCall } from './direct-call.ts';
import { createHubDescription } from './hub-description.ts';
import type { HubEvents } from './hub-events.ts';
import { answerHubRequest, forwardHubCall, type HubHandlers } from './hub-handlers.ts';
import { getHubList, type ListMethod } from './hub-lists.ts';
import { findParamMismatch } from './param-headers.ts';
import { toProtocolError } from './protocol-error.ts';
import { createCall, isCallMethod, parseAnswers } from './validated-call.ts';

type NewestDependencies = {
  readonly handlers: HubHandlers;
  readonly events: HubEvents;
  readonly subscriptions: Subscriptions;
};

type NewestMethod = Extract<
  KnownMethod,
  ListMethod | 'server/discover' | 'subscriptions/listen' | DirectCall['method']
>;

const maxWatchesPerListener = 200;
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
  readonly #dependencies: NewestDependencies;

  constructor(dependencies: NewestDependencies) {
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
      if (method === 'subscriptions/listen') return await this.#listen(incoming, request, message);
      if (!isCallMethod(method, 'newest')) return await this.#answer(incoming.principal, message, method);
      const meta = isObject(params._meta) ? params._meta : {};
      const context = createNewestContext(incoming, meta, parseAnswers(params));
      return await this.#forwardCall(incoming, request, createCall(message, method, context, true));
    } catch (error) {
      return createRpcErrorResponse(200, toRpcError(error), id);
    }
  }

  async #forwardCall(incoming: IncomingRequest, request: McpRequest, call: DirectCall): Promise<McpReply> {
    const header = call.method === 'tools/call' && (await this.#findParamMismatch(incoming.principal, call, request));
    if (header) return createHeaderMismatchResponse({ header }, call.id);
    return forwardHubCall(this.#dependencies.handlers, incoming, request, call);
  }

  #answer(
    principal: HubPrincipal,
    { id, params }: JSONRPCRequest,
    method: ListMethod | 'server/discover',
  ): Promise<McpReply> {
    const { catalogue, version } = this.#dependencies.handlers;
    const description = createHubDescription(principal, version);
    return answerHubRequest(id, async () => {
      const result =
        method === 'server/discover'
          ? createDiscoverResult(description)
          : await getHubList(catalogue, principal, method, parseRpcParams(method, params)?.cursor);
      return toNewestResult(method, result, description.info);
    });
  }

  /** Returns the header that disagrees with an argument, for tools that repeat arguments in headers. */
  async #findParamMismatch(
    principal: HubPrincipal,
    { name, arguments: args }: Extract<DirectCall, { readonly method: 'tools/call' }>,
    { headers }: Pick<McpRequest, 'headers'>,
  ): Promise<string | undefined> {
    const { catalogue } = this.#dependencies.handlers;
    const tool = await catalogue.findTool(principal, name).catch((): undefined => undefined);
    const header = tool && findParamMismatch(tool.original, args, headers);
    if (!tool || header === undefined) return undefined;
    // About a tool that is not visible to them, callers learn only what the policy says.
    return (await catalogue.isVisible(principal, tool)) ? header : undefined;
  }

  /** Watches the resources that a subscription names until it ends; resources that cannot be watched are skipped. */
  async #listen(
    { principal }: IncomingRequest,
    { signal }: McpRequest,
    { id, params }: JSONRPCRequest,
  ): Promise<McpReply> {
    const { handlers, events, subscriptions } = this.#dependencies;
    const { notifications: filter } = parseRpcParams('subscriptions/listen', params);
    const uris = (filter.resourceSubscriptions ?? []).slice(0, maxWatchesPerListener);
    const opened = [handlers.openStream(principal), ...uris.map((uri) => handlers.watch(principal, uri))];
    const outcomes = await Promise.allSettled(opened);
    const stopAll = (): void => {
      for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value();
    };
    const limit = outcomes.find(isLimited);
    if (limit) {
      stopAll();
      return createRpcErrorResponse(200, toRpcError(toProtocolError(limit.reason)), id);
    }
    const { hub, person } = principal;
    let isStarted = false;
    const response = subscriptions.start({
      id,
      filter,
      personId: person.personId,
      server: createHubDescription(principal, handlers.version).info,
      signal,
      listen(listener) {
        isStarted = true;
        const stopListening = events.listen(hub.id, listener);
        return () => {
          stopListening();
          stopAll();
        };
      },
    });
    if (!isStarted) stopAll();
    return response;
  }
}

function isLimited(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  if (outcome.status === 'fulfilled') return false;
  return outcome.reason instanceof VpError && outcome.reason.code === 'HUB_LISTENERS_LIMITED';
}
