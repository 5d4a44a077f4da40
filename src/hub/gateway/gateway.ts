/**
 * The gateway: handles requests of both protocol eras and routes them to the connections of a hub. Loads the SDK.
 *
 * Length: it wires the services and routes each kind of request.
 */
import {
  createMcpHandler,
  InMemoryServerEventBus,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpHttpHandler,
  type McpServerFactory,
} from '@modelcontextprotocol/server';
import { vpError } from '../../errors/vp-error.ts';
import type { HubPrincipal } from '../types.ts';
import { UpstreamPool } from '../upstream/upstream-pool.ts';
import { createAuthInfo, findPrincipal, type IncomingRequest } from './call-context.ts';
import { HubCallService } from './call-service.ts';
import { HubCatalogue } from './catalogue.ts';
import { createFastResponse, type FastToolCall, parseFastToolCall } from './fast-tool-call.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { HubEvents } from './hub-events.ts';
import { createHubServer, getServerInfo } from './hub-server.ts';
import { toJsonResponse } from './json-response.ts';
import { McpSessions } from './mcp-sessions.ts';
import { findParamMismatch } from './param-headers.ts';
import { PendingCalls } from './pending-calls.ts';
import { toPublicUri } from './public-names.ts';
import { auditRefusedCalls, auditUnhandledCalls, findCalls } from './refusal-audit.ts';
import { ResourceWatches } from './resource-watches.ts';
import {
  createHeaderMismatchResponse,
  createMethodNotAllowedResponse,
  hasProtocolVersion,
  parseRpcRequest,
} from './rpc-request.ts';

/** A request with its parsed body; undefined if it has none. */
export type HubRequest = {
  readonly request: Request;
  /** As sent to the caller. */
  readonly requestId?: string | undefined;
  readonly body: unknown;
  readonly bodyBytes: number;
};

/** Handles requests of authenticated callers. */
export type Gateway = {
  response(principal: HubPrincipal, hubRequest: HubRequest): Promise<Response>;
  /** Records calls that an endpoint refused after authentication. Throws AUDIT_UNAVAILABLE. */
  auditRefusal(principal: HubPrincipal, hubRequest: HubRequest, reason: string): Promise<void>;
  readonly upstreams: UpstreamPool;
  readonly catalogue: HubCatalogue;
  readonly calls: HubCallService;
  close(): Promise<void>;
};

export function openGateway(options: GatewayOptions): Gateway {
  return new McpGateway(options);
}

const maxSubscriptions = 4000;
const maxWatchesPerListener = 200;

class McpGateway implements Gateway {
  readonly upstreams: UpstreamPool;
  readonly catalogue: HubCatalogue;
  readonly #options: GatewayOptions;
  readonly #events: HubEvents;
  readonly #pendingCalls: PendingCalls;
  readonly calls: HubCallService;
  readonly #watches = new ResourceWatches();
  readonly #sessions: McpSessions;
  readonly #handlers = new Map<string, McpHttpHandler>();
  readonly #handleStateless: ReturnType<typeof legacyStatelessFallback>;
  readonly #stopListening: () => void;

  constructor(options: GatewayOptions) {
    const { connectionRepository, clock, random, onError: onFault } = options;
    this.#options = options;
    this.#events = new HubEvents(clock);
    this.#pendingCalls = new PendingCalls(clock, random);
    this.upstreams = new UpstreamPool(options.upstream, {
      onChanged: ({ hubId }, list) => this.#events.emitChanged(hubId, list),
      onUpdated: ({ hubId, name }, uri) => this.#events.emitUpdated(hubId, toPublicUri(name, uri)),
    });
    this.catalogue = new HubCatalogue({ ...options, upstreams: this.upstreams });
    this.calls = new HubCallService({ ...options, catalogue: this.catalogue, pendingCalls: this.#pendingCalls });
    this.#sessions = new McpSessions({
      clock,
      random,
      events: this.#events,
      createServer: (principal, sessionId) => createHubServer(this.#serverDependencies, principal, sessionId),
      watch: (principal, uri) => this.#watch(principal, uri),
    });
    this.#handleStateless = legacyStatelessFallback(this.#createServer, onFault);
    this.#stopListening = connectionRepository.onChange((hubId) => void this.#onHubChanged(hubId));
  }

  async response(principal: HubPrincipal, { request, requestId, body, bodyBytes }: HubRequest): Promise<Response> {
    const { headers } = request;
    const incoming: IncomingRequest = { principal, requestId, requestBytes: bodyBytes, headers, handledIds: new Set() };
    const response = await this.#handle(incoming, request, body);
    await auditUnhandledCalls(this.#options, incoming, body, response);
    return response;
  }

  async auditRefusal(principal: HubPrincipal, hubRequest: HubRequest, reason: string): Promise<void> {
    const { requestId, body, bodyBytes } = hubRequest;
    await auditRefusedCalls(this.#options, { principal, requestId, requestBytes: bodyBytes }, findCalls(body), reason);
  }

  async #handle(incoming: IncomingRequest, request: Request, body: unknown): Promise<Response> {
    const sessionId = request.headers.get('mcp-session-id');
    if (request.method !== 'POST') {
      return sessionId === null
        ? createMethodNotAllowedResponse()
        : this.#sessions.handle(incoming, sessionId, request, undefined);
    }
    // A message with a protocol version in its body is of the newest era; the SDK classifies the others.
    const isModern = hasProtocolVersion(body) || !(await isLegacyRequest(request, body));
    if (isModern) return this.#handleModern(incoming, request, body);
    const response = await this.#handleLegacy(incoming, sessionId, request, body);
    return toJsonResponse(response, body);
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#pendingCalls.close();
    await this.#sessions.close();
    await Promise.all([...this.#handlers.values()].map((handler) => handler.close()));
    await this.upstreams.close();
  }

  get #serverDependencies() {
    return { catalogue: this.catalogue, calls: this.calls, version: this.#options.version };
  }

  #handleLegacy(
    incoming: IncomingRequest,
    sessionId: string | null,
    request: Request,
    body: unknown,
  ): Promise<Response> {
    if (isInitializeRequest(body)) return this.#sessions.start(incoming, request, body);
    if (sessionId !== null) return this.#sessions.handle(incoming, sessionId, request, body);
    return this.#handleStateless(request, { authInfo: createAuthInfo(incoming), parsedBody: body });
  }

  async #handleModern(incoming: IncomingRequest, request: Request, body: unknown): Promise<Response> {
    const { principal } = incoming;
    const rpcRequest = parseRpcRequest(body);
    if (rpcRequest.method === 'tools/call') {
      const mismatchedHeader = await this.#findHeaderMismatch(principal, rpcRequest.params, request.headers);
      if (mismatchedHeader !== undefined) return createHeaderMismatchResponse(mismatchedHeader, rpcRequest.id);
    }
    if (rpcRequest.method === 'subscriptions/listen')
      await this.#watchRequested(principal, rpcRequest.params, request.signal);
    const fastCall = parseFastToolCall(incoming, request, body);
    if (fastCall) return this.#handleFastCall(incoming, fastCall, request, body);
    return this.#handleWithSdk(incoming, request, body);
  }

  #handleWithSdk(incoming: IncomingRequest, request: Request, parsedBody: unknown): Promise<Response> {
    const authInfo = createAuthInfo(incoming);
    return this.#getHandler(incoming.principal.hub.id).fetch(request, { authInfo, parsedBody });
  }

  /** Handles a call that needs only a result; the SDK renders every other outcome. */
  async #handleFastCall(
    incoming: IncomingRequest,
    fastCall: FastToolCall,
    request: Request,
    body: unknown,
  ): Promise<Response> {
    incoming.handledIds.add(fastCall.id);
    const pendingResult = this.calls.callTool(fastCall.context, fastCall);
    const result = await pendingResult.catch((): undefined => undefined);
    const text = result && this.calls.getResultText(result);
    const identity = getServerInfo(incoming.principal.hub.slug, this.#options.version);
    const response =
      text === undefined || !result ? undefined : createFastResponse(fastCall, { result, text }, identity);
    return response ?? this.#handleWithSdk({ ...incoming, startedCall: pendingResult }, request, body);
  }

  readonly #createServer: McpServerFactory = ({ authInfo }) => {
    const principal = authInfo && findPrincipal(authInfo);
    if (!principal) throw new TypeError('the request has no caller');
    return createHubServer(this.#serverDependencies, principal, undefined);
  };

  /** One handler per hub, so that subscriptions receive events of that hub only. */
  #getHandler(hubId: string): McpHttpHandler {
    const existing = this.#handlers.get(hubId);
    if (existing) return existing;
    const bus = new InMemoryServerEventBus();
    this.#events.listen(hubId, {
      onChanged: (list) => bus.publish({ kind: `${list}_list_changed` }),
      onUpdated: (uri) => bus.publish({ kind: 'resource_updated', uri }),
    });
    const { onError: onFault } = this.#options;
    const handlerOptions = { legacy: 'reject', bus, maxSubscriptions: maxSubscriptions } as const;
    const handler = createMcpHandler(this.#createServer, {
      ...handlerOptions,
      onerror: (error) => isInternalError(error) && onFault(error),
    });
    this.#handlers.set(hubId, handler);
    return handler;
  }

  /** Returns the header that disagrees with an argument, for tools that repeat arguments in headers. */
  async #findHeaderMismatch(
    principal: HubPrincipal,
    { name, arguments: args }: Readonly<Record<string, unknown>>,
    headers: Headers,
  ): Promise<string | undefined> {
    if (typeof name !== 'string') return undefined;
    const tool = await this.catalogue.findTool(principal, name).catch((): undefined => undefined);
    const mismatchedHeader = tool && findParamMismatch(tool.original, args, headers);
    if (!tool || mismatchedHeader === undefined) return undefined;
    // About a tool that is not visible to them, callers learn only what the policy says.
    return (await this.catalogue.isVisible(principal, tool)) ? mismatchedHeader : undefined;
  }

  async #watch(principal: HubPrincipal, uri: string): Promise<() => void> {
    const route = await this.catalogue.findResource(principal, uri);
    if (!route) throw vpError('HUB_TOOL_UNKNOWN', { name: uri.slice(0, 100) });
    const isPerUser =
      route.connection.credential.kind === 'oauth' && route.connection.credential.sharing === 'per_user';
    return this.#watches.watch(route, isPerUser ? principal.person.personId : '');
  }

  /** Watches the resources that a subscription names until it ends; resources that cannot be watched are skipped. */
  async #watchRequested(
    principal: HubPrincipal,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { resourceSubscriptions: requestedUris } = Object(params.notifications);
    if (!Array.isArray(requestedUris)) return;
    const uris = requestedUris.filter((uri) => typeof uri === 'string').slice(0, maxWatchesPerListener);
    const stops = await Promise.all(uris.map((uri) => this.#watch(principal, uri).catch((): undefined => undefined)));
    const stopAll = (): void => {
      for (const stop of stops) stop?.();
    };
    if (signal.aborted) stopAll();
    else signal.addEventListener('abort', stopAll, { once: true });
  }

  /** After a change of connections: notify the lists and close servers that are no longer used. */
  async #onHubChanged(hubId: string): Promise<void> {
    this.catalogue.invalidate(hubId);
    this.upstreams.closeOutdated(hubId, await this.#options.connectionRepository.listEnabled(hubId).catch(() => []));
    for (const list of ['tools', 'prompts', 'resources'] as const) this.#events.emitChanged(hubId, list);
  }
}

/** Mistakes of callers are answered and not reported as our errors. */
function isInternalError(error: Error): boolean {
  return !/^Rejected |Unsupported/.test(error.message);
}
