/**
 * What the messages of every endpoint pass before they are answered: authentication, what their caller may cost, reading, the
 * bound of refused calls, and scopes. Refusals and malformed messages are recorded in the audit.
 */
import type { Clock } from '../../environment/clock.ts';
import { createRateLimiter, type RateLimiter } from '../../limits/rate-limiter.ts';
import type { AccessDecision, AuthenticationOptions, HubPrincipal, HubRefusal } from '../access/principal.ts';
import { createCostRefusal, toRefusalResponse, unreadRefusal } from '../access/refusals.ts';
import { endWhenRevoked, isStreamRequest, type OnAccessEnded } from '../access/stream-revalidation.ts';
import type { UnreadResponses } from '../access/unread-responses.ts';
import {
  type McpReply,
  type McpRequest,
  replaceHeader,
  StreamReply,
  type UnreadMcpRequest,
} from '../downstream/mcp-http.ts';
import type { Gateway, HubRequest } from './gateway.ts';
import type { MessageAudit } from './message-audit.ts';
import { type MessageLimits, type ParsedMessage, readMessage } from './message-reader.ts';
import { findCalls } from './refusal-audit.ts';
import type { RefusalBound } from './refusal-bound.ts';

/** A request with its credential. `bearer` is undefined without the header and empty for another scheme. */
export type UnparsedRequest = {
  readonly request: UnreadMcpRequest;
  readonly bearer: string | undefined;
  readonly address: string;
  readonly requestId: string | undefined;
};

export type Authenticate = (options: AuthenticationOptions) => Promise<AccessDecision>;

/** How the messages of an endpoint are read, admitted and answered. */
export type Endpoint = {
  readonly limits: MessageLimits;
  /** The scope that a client should request. */
  readonly scope: string;
  readonly getMetadata: () => string | undefined;
  findRefusal(principal: HubPrincipal, body: unknown): HubRefusal | undefined;
  respond(principal: HubPrincipal, parsed: HubRequest): Promise<McpReply>;
};

export type MessageAdmissionDependencies = {
  readonly onAccessEnded: OnAccessEnded;
  readonly gateway: Pick<Gateway, 'auditRefusal' | 'findClient'>;
  readonly messageAudit: MessageAudit;
  readonly refusalBound: Pick<RefusalBound, 'findRefusal'>;
  readonly unread: UnreadResponses;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
};

/** A message of a caller who may send it. */
type AdmittedMessage = {
  readonly principal: HubPrincipal;
  readonly costKey: string;
  readonly parsed: HubRequest;
  readonly reauthenticate: () => Promise<AccessDecision>;
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

export class MessageAdmission {
  readonly #dependencies: MessageAdmissionDependencies;
  readonly #costs: RateLimiter;

  constructor(dependencies: MessageAdmissionDependencies) {
    this.#dependencies = dependencies;
    this.#costs = createRateLimiter(dependencies.clock, { maxCount: maxCostPerMinute, windowMs: 60_000 });
  }

  /** `onRead` is called with what the message cost. */
  async read(
    incoming: UnparsedRequest,
    limits: MessageLimits,
    onRead: (cost: number) => void = () => {},
  ): Promise<HubRequest | Response> {
    const { requestId } = incoming;
    const request = withAcceptedTypes(incoming.request);
    if (request.method !== 'POST') return { request, requestId, body: undefined, bodyBytes: 0 };
    const message = await readMessage(incoming.request, limits, this.#dependencies.clock);
    onRead(message instanceof Response ? refusedCost : calculateCost(message));
    if (message instanceof Response) return message;
    const { body, exactBody, sentArguments, bodyBytes } = message;
    return { request, requestId, body, exactBody, sentArguments, bodyBytes };
  }

  async handle(authenticate: Authenticate, incoming: UnparsedRequest, endpoint: Endpoint): Promise<McpReply> {
    const { messageAudit, refusalBound, clock } = this.#dependencies;
    const { limits, scope, getMetadata } = endpoint;
    const reauthenticate = (): Promise<AccessDecision> => authenticate({ isRecheck: true });
    const firstDecision = await authenticate({});
    if (firstDecision.kind === 'refused') return toRefusalResponse(firstDecision, getMetadata(), scope);
    const costKey = getCallerKey(firstDecision.principal);
    const costRefusal = this.#findCostRefusal(costKey, incoming.request);
    if (costRefusal) return toRefusalResponse(costRefusal);
    const startedAtMs = clock.monotonicMs();
    const parsed = await this.read(incoming, limits, (cost) => cost > 0 && this.#costs.tryTake(costKey, cost));
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
    const refusal = endpoint.findRefusal(principal, parsed.body);
    if (refusal) return this.#recordRefusal(principal, parsed, refusal, getMetadata());
    return this.#respond({ principal, costKey, parsed, reauthenticate }, endpoint);
  }

  #findCostRefusal(costKey: string, { method }: UnreadMcpRequest): HubRefusal | undefined {
    const waitSeconds = this.#costs.tryTake(costKey, 0);
    if (waitSeconds !== undefined) return createCostRefusal(waitSeconds);
    return method === 'POST' && this.#dependencies.unread.isFull(costKey) ? unreadRefusal : undefined;
  }

  async #recordRefusal(
    principal: HubPrincipal,
    parsed: HubRequest,
    refusal: HubRefusal,
    metadata: string | undefined,
  ): Promise<Response> {
    const { gateway, messageAudit } = this.#dependencies;
    await gateway.auditRefusal(principal, parsed, refusal.code);
    const response = toRefusalResponse(refusal, metadata);
    await messageAudit.record(principal, parsed, response);
    return response;
  }

  async #respond(
    { principal, costKey, parsed, reauthenticate }: AdmittedMessage,
    { respond }: Endpoint,
  ): Promise<McpReply> {
    const { messageAudit, unread, clock, onAccessEnded } = this.#dependencies;
    const isRecorded = messageAudit.concerns(parsed);
    const refusal = isRecorded ? await messageAudit.findRefusal(principal, parsed) : undefined;
    if (refusal) return toRefusalResponse(refusal);
    const authenticate = async (): Promise<HubPrincipal | undefined> => {
      const current = await reauthenticate();
      return current.kind === 'in' ? current.principal : undefined;
    };
    const reply = await respond(principal, { ...parsed, authenticate });
    if (isRecorded) await this.#recordReply(principal, parsed, reply);
    if (!(reply instanceof Response)) reply.onUnread = unread.createTracker(costKey);
    if (!isStreamRequest(parsed.request, parsed.body)) return reply;
    return endWhenRevoked(reply, async () => (await reauthenticate()).kind === 'in', clock, onAccessEnded);
  }

  async #recordReply(principal: HubPrincipal, parsed: HubRequest, reply: McpReply): Promise<void> {
    const { gateway, messageAudit } = this.#dependencies;
    const client = gateway.findClient(principal, parsed.request) ?? principal.client;
    try {
      await messageAudit.record({ ...principal, client }, parsed, reply);
    } catch (error) {
      if (reply instanceof StreamReply) reply.stream.leave();
      else if (reply instanceof Response) await reply.body?.cancel();
      throw error;
    }
  }
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
