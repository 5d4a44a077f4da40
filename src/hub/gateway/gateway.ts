/** The gateway: handles requests of all revisions and routes them to the connections of a hub. Loads the SDK. */
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { vpError } from '../../errors/vp-error.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { defaultMaxSessions } from '../context.ts';
import type { McpReply, McpRequest } from '../downstream/mcp-http.ts';
import { routeRequest } from '../downstream/request-route.ts';
import { createMethodNotAllowedResponse, createRpcErrorResponse, findRequestId } from '../downstream/rpc-response.ts';
import { Subscriptions } from '../downstream/subscriptions.ts';
import { createHubMarks, type GetHubMark, isLoop, readHubPath } from '../protocol/hub-path.ts';
import { HeldTaskRequests } from '../tasks/held/held-task-requests.ts';
import { KnownTasks } from '../tasks/known-tasks.ts';
import { TaskIds } from '../tasks/task-ids.ts';
import { createTaskPublisher } from '../tasks/task-publisher.ts';
import { HubTaskService } from '../tasks/task-service.ts';
import { TaskWatches } from '../tasks/task-watches.ts';
import { ToolSearch } from '../tool-search/tool-search.ts';
import { ToolUse } from '../tool-search/tool-use.ts';
import { CredentialMasker } from '../upstream/credential-masker.ts';
import { loopDetectedStatus } from '../upstream/upstream-error.ts';
import { UpstreamPool } from '../upstream/upstream-pool.ts';
import type { IncomingRequest } from './call-context.ts';
import { HubCallService } from './call-service.ts';
import { HubCatalogue } from './catalogue.ts';
import { ConnectionPreparer } from './connection-preparer.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { HubEvents } from './hub-events.ts';
import type { HubHandlers } from './hub-handlers.ts';
import { HubTools } from './hub-tools.ts';
import { HubWatches } from './hub-watches.ts';
import { KnownElicitations } from './known-elicitations.ts';
import { McpSessions } from './mcp-sessions.ts';
import { NewestRequests } from './newest-requests.ts';
import { OlderRequests } from './older-requests.ts';
import { PendingCalls } from './pending-calls.ts';
import { toPublicUri } from './public-names.ts';
import { auditRefusedCalls, auditUnhandledCalls, findCalls, isCall, isHandled } from './refusal-audit.ts';
import { RootsChanges } from './roots-changes.ts';
import { hasProtocolVersion, parseRpcRequest } from './rpc-request.ts';
import { ServerNotices } from './server-notices.ts';

/** A request with its parsed body; undefined if it has none. */
export type HubRequest = {
  readonly request: McpRequest;
  /** As sent to the caller. */
  readonly requestId?: string | undefined;
  readonly body: unknown;
  /** For forwarding, if numbers of the body would change. */
  readonly exactBody?: unknown;
  /** See {@link IncomingRequest}. */
  readonly sentArguments?: IncomingRequest['sentArguments'];
  readonly bodyBytes: number;
  /** See {@link IncomingRequest}. */
  readonly authenticate?: IncomingRequest['authenticate'];
};

/** Handles requests of authenticated callers. */
export type Gateway = {
  response(principal: HubPrincipal, hubRequest: HubRequest): Promise<McpReply>;
  /** Records calls that an endpoint refused after authentication. Throws AUDIT_UNAVAILABLE. */
  auditRefusal(principal: HubPrincipal, hubRequest: HubRequest, reason: string): Promise<void>;
  /** What the client of a session said about itself. */
  findClient(principal: HubPrincipal, request: Pick<McpRequest, 'headers'>): HubPrincipal['client'];
  readonly upstreams: UpstreamPool;
  readonly catalogue: HubCatalogue;
  readonly calls: HubCallService;
  close(): Promise<void>;
};

export function openGateway(options: GatewayOptions): Gateway {
  return new McpGateway(options);
}

class McpGateway implements Gateway {
  readonly upstreams: UpstreamPool;
  readonly catalogue: HubCatalogue;
  readonly #options: GatewayOptions;
  readonly #events: HubEvents;
  readonly #pendingCalls: PendingCalls;
  readonly calls: HubCallService;
  readonly #getHubMark: GetHubMark;
  readonly #knownTasks = new KnownTasks();
  readonly #knownElicitations = new KnownElicitations();
  readonly #taskWatches: TaskWatches;
  readonly #notices: ServerNotices;
  readonly #watches: HubWatches;
  readonly #sessions: McpSessions;
  readonly #subscriptions: Subscriptions;
  readonly #olderRequests: OlderRequests;
  readonly #newestRequests: NewestRequests;
  readonly #preparer: ConnectionPreparer | undefined;
  readonly #stopListening: () => void;

  constructor(options: GatewayOptions) {
    const { connectionRepository, clock, random, version, maxSessions = defaultMaxSessions } = options;
    this.#options = options;
    this.#events = new HubEvents(clock);
    this.#taskWatches = new TaskWatches(clock);
    this.#pendingCalls = new PendingCalls(clock, random);
    this.#getHubMark = createHubMarks(random.token(24));
    const upstreamDependencies = { ...options.upstream, getHubMark: this.#getHubMark };
    this.upstreams = new UpstreamPool(upstreamDependencies, {
      onChanged: ({ hubId }, list) => this.#events.emitChanged(hubId, list),
      onUpdated: ({ hubId, name }, uri) => this.#events.emitUpdated(hubId, toPublicUri(name, uri)),
      onTaskStatus: (source, params) => void this.#notices.onTaskStatus(source, params).catch(options.onError),
      onElicitationComplete: (source, params) =>
        void this.#notices.onElicitationComplete(source, params).catch(options.onError),
    });
    const { upstreams } = this;
    this.catalogue = new HubCatalogue({ ...options, upstreams });
    this.#preparer = options.preparesConnections ? new ConnectionPreparer({ ...options, upstreams }) : undefined;
    this.#watches = new HubWatches({ ...options, catalogue: this.catalogue });
    const ids = new TaskIds(options.secret);
    const knownTasks = this.#knownTasks;
    const toolTasks = {
      publishTask: createTaskPublisher({
        ids,
        knownTasks,
        onEarlyReport: (task, report) => this.#notices.reportTask(task, report),
      }),
      clock,
    };
    const { catalogue } = this;
    const { listRecentCalls, onError, heldTasks } = options;
    const search = new ToolSearch(new ToolUse({ listRecentCalls, clock, onError }));
    const hubTools = new HubTools({ catalogue, search });
    const callParts = { pendingCalls: this.#pendingCalls, knownElicitations: this.#knownElicitations, toolTasks };
    this.calls = new HubCallService({ ...options, catalogue, hubTools, ...callParts });
    this.#sessions = new McpSessions({ clock, random, events: this.#events, maxSessions });
    this.#notices = new ServerNotices({
      masker: new CredentialMasker(options.upstream.secrets),
      taskWatches: this.#taskWatches,
      knownTasks,
      knownElicitations: this.#knownElicitations,
      sessions: this.#sessions,
    });
    this.#subscriptions = new Subscriptions(clock, maxSessions);
    if (heldTasks) heldTasks.onStatus = (id, state) => this.#sessions.notify(id, 'notifications/tasks/status', state);
    const rootsChanges = new RootsChanges({ ...options, upstreams });
    const handlers: HubHandlers = {
      catalogue: this.catalogue,
      calls: this.calls,
      tasks: new HubTaskService({
        catalogue,
        calls: this.calls,
        ids,
        knownTasks,
        watches: this.#taskWatches,
        ...{ policy: options.policy, listTimeoutMs: options.listTimeoutMs },
        held: heldTasks && new HeldTaskRequests({ heldTasks, catalogue, calls: this.calls }),
      }),
      ...{ version, onError },
      watch: (principal, uri, onDenied) => this.#watches.watchResource(principal, uri, onDenied),
      watchAtServer: (principal, route, target) => this.#watches.watchAtServer(principal, route, target),
      announceRoots: (principal, session) => rootsChanges.announce(principal, session),
      openStream: async (principal) => (await this.#watches.openQuota('streams', principal))(),
    };
    this.#olderRequests = new OlderRequests(handlers, this.#sessions);
    this.#newestRequests = new NewestRequests({ handlers, events: this.#events, subscriptions: this.#subscriptions });
    const stopHubListener = connectionRepository.onChange((hubId) => void this.#onHubChanged(hubId));
    const stopPolicyListener = options.policy.onChange?.((hubId) => void this.#watches.decideAgain(hubId));
    this.#stopListening = () => {
      stopHubListener();
      stopPolicyListener?.();
    };
  }

  async response(caller: HubPrincipal, hubRequest: HubRequest): Promise<McpReply> {
    const { request, requestId, body, exactBody, sentArguments, bodyBytes, authenticate } = hubRequest;
    const hubPath = readHubPath(request.headers, body);
    if (isLoop(hubPath, this.#getHubMark(caller.hub.id))) return this.#refuseLoop(caller, hubRequest);
    const principal = hubPath.length > 0 ? { ...caller, hubPath } : caller;
    const incoming: IncomingRequest = {
      principal,
      requestId,
      requestBytes: bodyBytes,
      headers: request.headers,
      exactArguments: exactBody === undefined ? undefined : findExactArguments(exactBody),
      sentArguments,
      authenticate,
      handledIds: new Set(),
    };
    const response = await (this.#startCall(incoming, request, body) ?? this.#handle(incoming, request, body));
    if (!isHandled(incoming, body)) await auditUnhandledCalls(this.#options, incoming, body, response);
    this.#preparer?.prepare(principal.hub.id);
    return response;
  }

  async auditRefusal(principal: HubPrincipal, hubRequest: HubRequest, reason: string): Promise<void> {
    const { requestId, body, bodyBytes } = hubRequest;
    await auditRefusedCalls(this.#options, { principal, requestId, requestBytes: bodyBytes }, findCalls(body), reason);
  }

  findClient(principal: HubPrincipal, { headers }: Pick<McpRequest, 'headers'>): HubPrincipal['client'] {
    const sessionId = headers.get('mcp-session-id');
    return sessionId === null ? undefined : this.#sessions.find(principal, sessionId)?.client;
  }

  async #refuseLoop(principal: HubPrincipal, hubRequest: HubRequest): Promise<Response> {
    const { message, cure, code } = vpError('HUB_LOOP', { hub: principal.hub.slug });
    await this.auditRefusal(principal, hubRequest, code);
    const error = {
      code: ProtocolErrorCode.InvalidRequest,
      message: `${message}; ${cure}`,
      data: { code, message, cure },
    };
    return createRpcErrorResponse(loopDetectedStatus, error, findRequestId(hubRequest.body));
  }

  #startCall(incoming: IncomingRequest, request: McpRequest, body: unknown): Promise<McpReply> | undefined {
    if (request.method !== 'POST' || !isCall(body)) return undefined;
    return (hasProtocolVersion(body) ? this.#newestRequests : this.#olderRequests).startCall(incoming, request, body);
  }

  async #handle(incoming: IncomingRequest, request: McpRequest, body: unknown): Promise<McpReply> {
    if (request.method !== 'POST') {
      const sessionId = request.headers.get('mcp-session-id');
      if (sessionId === null) return createMethodNotAllowedResponse('POST');
      const openStream = await this.#watches.openQuota('streams', incoming.principal);
      return this.#sessions.handle(incoming.principal, sessionId, request, openStream);
    }
    const route = routeRequest(request.headers, body);
    if (route.kind === 'refused') return route.response;
    if (route.kind === 'newestNotification') return new Response(null, { status: 202 });
    if (route.kind === 'newest') return this.#newestRequests.handle(incoming, request, route.message);
    return this.#olderRequests.handle(incoming, request, route);
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#preparer?.close();
    this.#pendingCalls.close();
    this.#sessions.close();
    this.#subscriptions.close();
    await this.upstreams.close();
  }

  /** After a change of connections or members: notify the lists, close servers that are no longer used, and decide watches again. */
  async #onHubChanged(hubId: string): Promise<void> {
    this.catalogue.invalidate(hubId);
    this.upstreams.closeOutdated(hubId, await this.#options.connectionRepository.listEnabled(hubId).catch(() => []));
    for (const list of ['tools', 'prompts', 'resources'] as const) this.#events.emitChanged(hubId, list);
    await this.#watches.decideAgain(hubId);
  }
}

function findExactArguments(exactBody: unknown): unknown {
  return parseRpcRequest(exactBody).params.arguments;
}
