/**
 * The HTTP endpoints of the hub service: authentication, scopes and the responses of refusals.
 *
 * Length: the steps before a message is handled are read in their order.
 */
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { memoryScope } from '../../identity/oauth/resources/resources.ts';
import { createRateLimiter } from '../../limits/rate-limiter.ts';
import type {
  AccessDecision,
  AuthenticationOptions,
  HubAuthenticator,
  HubPrincipal,
  HubRefusal,
} from '../access/principal.ts';
import { createCostRefusal, toRefusalResponse, unreadRefusal } from '../access/refusals.ts';
import { allHubScopes, findScopeRefusal } from '../access/scopes.ts';
import { endWhenRevoked, isStreamRequest, type OnAccessEnded } from '../access/stream-revalidation.ts';
import type { UnreadResponses } from '../access/unread-responses.ts';
import {
  type McpReply,
  type McpRequest,
  replaceHeader,
  StreamReply,
  type UnreadMcpRequest,
} from '../downstream/mcp-http.ts';
import type { DirectMemory, DirectMemoryCaller } from './direct-memory.ts';
import type { Gateway, HubRequest } from './gateway.ts';
import type { HublessServer, KnownHub } from './hubless-server.ts';
import type { MessageAudit } from './message-audit.ts';
import {
  anonymousMessageLimits,
  callerMessageLimits,
  importLimits,
  type MessageLimits,
  type ParsedMessage,
  readMessage,
} from './message-reader.ts';
import { findCalls } from './refusal-audit.ts';
import type { RefusalBound } from './refusal-bound.ts';

/** A request with its credential. `bearer` is undefined without the header and empty for another scheme. */
export type UnparsedRequest = {
  readonly request: UnreadMcpRequest;
  readonly bearer: string | undefined;
  readonly address: string;
  readonly requestId: string | undefined;
};

export type HubEndpoints = {
  /** `/agent/mcp` */
  agent(incoming: UnparsedRequest): Promise<McpReply>;
  /** `/hub/<slug>/mcp` */
  hub(slug: string, incoming: UnparsedRequest): Promise<McpReply>;
  /** `/memory/mcp`, and with a slug `/memory/hub/<slug>/mcp`. `handle` answers a message whose body was read. */
  memory(slug: string | undefined, incoming: UnparsedRequest, handle: HandleMemory): Promise<McpReply>;
  /** `/mcp`, which belongs to no hub and needs no authentication. */
  withoutHub(incoming: UnparsedRequest): Promise<McpReply>;
  close(): Promise<void>;
};

export type HubEndpointsDependencies = {
  readonly authenticator: HubAuthenticator;
  readonly onAccessEnded: OnAccessEnded;
  readonly gateway: Gateway;
  /** Undefined if this control plane has no memory service. */
  readonly directMemory?: DirectMemory | undefined;
  readonly hublessServer: HublessServer;
  readonly messageAudit: MessageAudit;
  readonly refusalBound: Pick<RefusalBound, 'findRefusal' | 'close'>;
  readonly unread: UnreadResponses;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** The URL of the protected resource metadata of a hub (RFC 9728); undefined if OAuth is not available. */
  readonly resourceMetadata?: (resource: HubResource, request: McpRequest) => string;
};

export type HubResource = { readonly kind: 'hub' | 'memory'; readonly slug: string };

export type HandleMemory = (caller: DirectMemoryCaller, body: unknown) => Promise<Response>;

type Authenticate = (options: AuthenticationOptions) => Promise<AccessDecision>;

/** How the messages of an endpoint are read, admitted and answered. */
type Endpoint = {
  readonly limits: MessageLimits;
  /** The scope that a client should request. */
  readonly scope: string;
  readonly getMetadata: () => string | undefined;
  findRefusal(principal: HubPrincipal, body: unknown): HubRefusal | undefined;
  respond(principal: HubPrincipal, parsed: HubRequest): Promise<McpReply>;
};

/**
 * What large and refused messages of a caller may cost within a minute; small accepted ones cost nothing here and are
 * limited by the hub's policy.
 */
const maxCostPerMinute = 6000;
const refusedCost = 10;
const bytesPerCost = 65_536;
const valuesPerCost = 1000;

/** An access decision is reused for this long. */
const maxDecisionAgeMs = 1000;

export function createHubEndpoints({
  authenticator,
  onAccessEnded,
  gateway,
  directMemory,
  hublessServer,
  messageAudit,
  refusalBound,
  unread,
  clock,
  resourceMetadata,
}: HubEndpointsDependencies): HubEndpoints {
  const costs = createRateLimiter(clock, { maxCount: maxCostPerMinute, windowMs: 60_000 });
  /** `onRead` is called with what the message cost. */
  const read = async (
    incoming: UnparsedRequest,
    limits: MessageLimits,
    onRead: (cost: number) => void = () => {},
  ): Promise<HubRequest | Response> => {
    const { requestId } = incoming;
    const request = withAcceptedTypes(incoming.request);
    if (request.method !== 'POST') return { request, requestId, body: undefined, bodyBytes: 0 };
    const message = await readMessage(incoming.request, limits, clock);
    onRead(message instanceof Response ? refusedCost : calculateCost(message));
    if (message instanceof Response) return message;
    const { body, exactBody, sentArguments, bodyBytes } = message;
    return { request, requestId, body, exactBody, sentArguments, bodyBytes };
  };
  const handle = async (
    authenticate: Authenticate,
    incoming: UnparsedRequest,
    { limits, scope, getMetadata, findRefusal, respond }: Endpoint,
  ): Promise<McpReply> => {
    const reauthenticate = (): Promise<AccessDecision> => authenticate({ isRecheck: true });
    const firstDecision = await authenticate({});
    if (firstDecision.kind === 'refused') return toRefusalResponse(firstDecision, getMetadata(), scope);
    const costKey = getCallerKey(firstDecision.principal);
    const waitSeconds = costs.tryTake(costKey, 0);
    if (waitSeconds !== undefined) return toRefusalResponse(createCostRefusal(waitSeconds));
    if (incoming.request.method === 'POST' && unread.isFull(costKey)) return toRefusalResponse(unreadRefusal);
    const startedAtMs = clock.monotonicMs();
    const parsed = await read(incoming, limits, (cost) => cost > 0 && costs.tryTake(costKey, cost));
    if (parsed instanceof Response) {
      const unparsed = { request: incoming.request, requestId: incoming.requestId, body: undefined, bodyBytes: 0 };
      await messageAudit.record(firstDecision.principal, unparsed, parsed);
      return parsed;
    }
    // Slow clients can take minutes to send a body.
    const decision = clock.monotonicMs() - startedAtMs > maxDecisionAgeMs ? await reauthenticate() : firstDecision;
    if (decision.kind === 'refused') return toRefusalResponse(decision, getMetadata(), scope);
    const { principal } = decision;
    const boundRefusal = refusalBound.findRefusal(principal, () => findCalls(parsed.body).length);
    if (boundRefusal) return toRefusalResponse(boundRefusal);
    const refusal = findRefusal(principal, parsed.body);
    if (!refusal) {
      const isRecorded = messageAudit.concerns(parsed);
      const messageRefusal = isRecorded ? await messageAudit.findRefusal(principal, parsed) : undefined;
      if (messageRefusal) return toRefusalResponse(messageRefusal);
      const findPrincipal = async (): Promise<HubPrincipal | undefined> => {
        const current = await reauthenticate();
        return current.kind === 'in' ? current.principal : undefined;
      };
      const response = await respond(principal, { ...parsed, authenticate: findPrincipal });
      if (isRecorded) await recordReply(principal, parsed, response);
      if (!(response instanceof Response)) response.onUnread = unread.createTracker(costKey);
      if (!isStreamRequest(parsed.request, parsed.body)) return response;
      return endWhenRevoked(response, async () => (await reauthenticate()).kind === 'in', clock, onAccessEnded);
    }
    await gateway.auditRefusal(principal, parsed, refusal.code);
    const refusalResponse = toRefusalResponse(refusal, getMetadata());
    await messageAudit.record(principal, parsed, refusalResponse);
    return refusalResponse;
  };
  const recordReply = async (principal: HubPrincipal, parsed: HubRequest, reply: McpReply): Promise<void> => {
    const client = gateway.findClient(principal, parsed.request) ?? principal.client;
    try {
      await messageAudit.record({ ...principal, client }, parsed, reply);
    } catch (error) {
      if (reply instanceof StreamReply) reply.stream.leave();
      else if (reply instanceof Response) await reply.body?.cancel();
      throw error;
    }
  };
  const createHubEndpoint = (getMetadata: Endpoint['getMetadata']): Endpoint => ({
    limits: callerMessageLimits,
    scope: allHubScopes,
    getMetadata,
    findRefusal: findScopeRefusal,
    respond: (principal, parsed) => gateway.response(principal, parsed),
  });
  return {
    agent: (incoming) =>
      handle(
        (options) => authenticator.agent(incoming.bearer, incoming.address, options),
        incoming,
        createHubEndpoint(() => undefined),
      ),
    hub: (slug, incoming) =>
      handle(
        (options) => authenticator.hub(slug, incoming.bearer, incoming.address, options),
        incoming,
        createHubEndpoint(() => resourceMetadata?.({ kind: 'hub', slug }, incoming.request)),
      ),
    memory(slug, incoming, handleMemory) {
      const { bearer, address, request } = incoming;
      const authenticate: Authenticate = (options) =>
        slug === undefined
          ? authenticator.agent(bearer, address, options)
          : authenticator.memory(slug, bearer, address, options);
      return handle(authenticate, incoming, {
        limits: importLimits,
        scope: memoryScope,
        getMetadata: () => (slug === undefined ? undefined : resourceMetadata?.({ kind: 'memory', slug }, request)),
        // A grant for a hub's memory has one scope.
        findRefusal: () => undefined,
        async respond(principal, { requestId, body, bodyBytes, authenticate: reauthenticate, request: { headers } }) {
          if (!directMemory) throw vpError('ROUTE_UNKNOWN', { method: request.method, path: '/memory/mcp' });
          const message = { requestId, requestBytes: bodyBytes, headers, body };
          const memoryRequest = { principal, ...message, authenticate: reauthenticate };
          return directMemory.respond(memoryRequest, (caller) => handleMemory(caller, body));
        },
      });
    },
    async withoutHub(incoming) {
      const parsed = await read(incoming, anonymousMessageLimits);
      if (parsed instanceof Response) return parsed;
      const { request, body } = parsed;
      const { bearer, address } = incoming;
      const hubs = bearer === undefined ? undefined : await listKnownHubs(authenticator, bearer, address);
      return hublessServer.handle(request, body, { hubs });
    },
    async close() {
      await gateway.close();
      directMemory?.close();
      await refusalBound.close();
      await hublessServer.close();
    },
  };
}

function calculateCost({ bodyBytes, values }: ParsedMessage): number {
  return Math.floor(bodyBytes / bytesPerCost) + Math.floor(values / valuesPerCost);
}

/** A client that names no type, or every type, accepts ours (RFC 9110 section 12.5.1); the SDK wants them named. */
function withAcceptedTypes(request: McpRequest): McpRequest {
  const accept = request.headers.get('accept');
  if (accept !== null && !accept.includes('*/*')) return request;
  return replaceHeader(request, 'accept', 'application/json, text/event-stream');
}

function getCallerKey({ hub, person, via }: HubPrincipal): string {
  return `${hub.id} ${person.personId} ${via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : ''}`;
}

/** The hubs that the token opens; undefined for an invalid token, which is served as well. */
async function listKnownHubs(
  authenticator: HubAuthenticator,
  bearer: string,
  address: string,
): Promise<readonly KnownHub[] | undefined> {
  const decision = await authenticator.agent(bearer, address);
  if (decision.kind === 'in') return [{ slug: decision.principal.hub.slug, role: decision.principal.role }];
  return decision.code === 'membership_required' ? [] : undefined;
}
