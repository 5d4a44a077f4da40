/** The gateway: what arrives at a hub's addresses, in either era of the protocol, answered by its connections. Loads the SDK. */
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
import { Upstreams } from '../upstream/upstreams.ts';
import type { HubPrincipal } from '../words.ts';
import { type Arrived, authInfoFor, principalOf } from './caller.ts';
import { Catalogue } from './catalogue.ts';
import { HeldCalls } from './held-calls.ts';
import { HubCalls } from './hub-calls.ts';
import { HubEvents } from './hub-events.ts';
import { hubServer, identityOf } from './hub-server.ts';
import { shownUri } from './names.ts';
import { paramMismatch } from './param-headers.ts';
import { type PlainRequest, plainAnswer, plainRequest } from './plain-request.ts';
import type { GatewayPorts } from './ports.ts';
import { callsIn, tellRefused, tellUnbegun } from './refused-calls.ts';
import { askedOf, headerMismatch, methodRefused, namesRevision } from './rpc-answers.ts';
import { Sessions } from './sessions.ts';
import { singleAnswer } from './single-answer.ts';
import { Watches } from './watches.ts';

/** A request with its body, read and parsed; undefined where it has none. */
export type HubRequest = {
  readonly request: Request;
  /** As the caller is told it. */
  readonly requestId?: string | undefined;
  readonly body: unknown;
  readonly bodyBytes: number;
};

/** Answers callers that were let in. */
export type Gateway = {
  answer(principal: HubPrincipal, asked: HubRequest): Promise<Response>;
  /** Tells the audit of calls that the address refused to one who was let in. Throws AUDIT_UNAVAILABLE. */
  refused(principal: HubPrincipal, asked: HubRequest, reason: string): Promise<void>;
  /** The ways to the servers; for pages that probe and sign in. */
  readonly upstreams: Upstreams;
  readonly catalogue: Catalogue;
  readonly calls: HubCalls;
  close(): Promise<void>;
};

/** Makes it. */
export function openGateway(ports: GatewayPorts): Gateway {
  return new HubGateway(ports);
}

const mostSubscriptions = 4000;
const mostWatchedAtOnce = 200;

class HubGateway implements Gateway {
  readonly upstreams: Upstreams;
  readonly catalogue: Catalogue;
  readonly #ports: GatewayPorts;
  readonly #events: HubEvents;
  readonly #held: HeldCalls;
  readonly calls: HubCalls;
  readonly #watches = new Watches();
  readonly #sessions: Sessions;
  readonly #handlers = new Map<string, McpHttpHandler>();
  readonly #withoutSession: ReturnType<typeof legacyStatelessFallback>;
  readonly #unlisten: () => void;

  constructor(ports: GatewayPorts) {
    const { book, clock, random, onFault } = ports;
    this.#ports = ports;
    this.#events = new HubEvents(clock);
    this.#held = new HeldCalls(clock, random);
    this.upstreams = new Upstreams(ports.upstream, {
      onChanged: ({ hubId }, list) => this.#events.changed(hubId, list),
      onUpdated: ({ hubId, name }, uri) => this.#events.updated(hubId, shownUri(name, uri)),
    });
    this.catalogue = new Catalogue({ ...ports, upstreams: this.upstreams });
    this.calls = new HubCalls({ ...ports, catalogue: this.catalogue, held: this.#held });
    this.#sessions = new Sessions({
      clock,
      random,
      events: this.#events,
      serverFor: (principal, session) => hubServer(this.#serverParts, principal, session),
      watch: (principal, uri) => this.#watch(principal, uri),
    });
    this.#withoutSession = legacyStatelessFallback(this.#factory, onFault);
    this.#unlisten = book.onChange((hubId) => void this.#hubChanged(hubId));
  }

  async answer(principal: HubPrincipal, { request, requestId, body, bodyBytes }: HubRequest): Promise<Response> {
    const { headers } = request;
    const arrived: Arrived = { principal, requestId, requestBytes: bodyBytes, headers, begun: new Set() };
    const answer = await this.#answered(arrived, request, body);
    await tellUnbegun(this.#ports, arrived, body, answer);
    return answer;
  }

  async refused(principal: HubPrincipal, asked: HubRequest, reason: string): Promise<void> {
    const { requestId, body, bodyBytes } = asked;
    await tellRefused(this.#ports, { principal, requestId, requestBytes: bodyBytes }, callsIn(body), reason);
  }

  async #answered(arrived: Arrived, request: Request, body: unknown): Promise<Response> {
    const session = request.headers.get('mcp-session-id');
    if (request.method !== 'POST') {
      return session === null ? methodRefused() : this.#sessions.answer(arrived, session, request, undefined);
    }
    // Who names a revision in the body is of the newest era; whoever does not is classified as the SDK does it.
    const isModern = namesRevision(body) || !(await isLegacyRequest(request, body));
    if (isModern) return this.#modern(arrived, request, body);
    const answer = await this.#legacy(arrived, session, request, body);
    return singleAnswer(answer, body);
  }

  async close(): Promise<void> {
    this.#unlisten();
    this.#held.close();
    await this.#sessions.close();
    await Promise.all([...this.#handlers.values()].map((handler) => handler.close()));
    await this.upstreams.close();
  }

  get #serverParts() {
    return { catalogue: this.catalogue, calls: this.calls, version: this.#ports.version };
  }

  #legacy(arrived: Arrived, session: string | null, request: Request, body: unknown): Promise<Response> {
    if (isInitializeRequest(body)) return this.#sessions.begin(arrived, request, body);
    if (session !== null) return this.#sessions.answer(arrived, session, request, body);
    return this.#withoutSession(request, { authInfo: authInfoFor(arrived), parsedBody: body });
  }

  async #modern(arrived: Arrived, request: Request, body: unknown): Promise<Response> {
    const { principal } = arrived;
    const asked = askedOf(body);
    if (asked.method === 'tools/call') {
      const wrong = await this.#mismatch(principal, asked.params, request.headers);
      if (wrong !== undefined) return headerMismatch(wrong, asked.id);
    }
    if (asked.method === 'subscriptions/listen') await this.#watchAll(principal, asked.params, request.signal);
    const plain = plainRequest(arrived, request, body);
    if (plain) return this.#plain(arrived, plain, request, body);
    return this.#handled(arrived, request, body);
  }

  #handled(arrived: Arrived, request: Request, parsedBody: unknown): Promise<Response> {
    const authInfo = authInfoFor(arrived);
    return this.#handlerOf(arrived.principal.hub.id).fetch(request, { authInfo, parsedBody });
  }

  /** A call that wants nothing but its answer; whatever is no plain answer the SDK tells. */
  async #plain(arrived: Arrived, plain: PlainRequest, request: Request, body: unknown): Promise<Response> {
    arrived.begun.add(plain.id);
    const made = this.calls.callTool(plain.caller, plain);
    const result = await made.catch((): undefined => undefined);
    const text = result && this.calls.textOf(result);
    const identity = identityOf(arrived.principal.hub.slug, this.#ports.version);
    const answer = text === undefined || !result ? undefined : plainAnswer(plain, { result, text }, identity);
    return answer ?? this.#handled({ ...arrived, made }, request, body);
  }

  readonly #factory: McpServerFactory = ({ authInfo }) => {
    const principal = authInfo && principalOf(authInfo);
    if (!principal) throw new TypeError('a request arrived without its caller');
    return hubServer(this.#serverParts, principal, undefined);
  };

  /** One for each hub: whoever listens hears of that hub only. */
  #handlerOf(hubId: string): McpHttpHandler {
    const known = this.#handlers.get(hubId);
    if (known) return known;
    const bus = new InMemoryServerEventBus();
    this.#events.listen(hubId, {
      onChanged: (list) => bus.publish({ kind: `${list}_list_changed` }),
      onUpdated: (uri) => bus.publish({ kind: 'resource_updated', uri }),
    });
    const { onFault } = this.#ports;
    const options = { legacy: 'reject', bus, maxSubscriptions: mostSubscriptions } as const;
    const made = createMcpHandler(this.#factory, { ...options, onerror: (error) => isOurs(error) && onFault(error) });
    this.#handlers.set(hubId, made);
    return made;
  }

  /** The header that disagrees with an argument, where the tool mirrors arguments in headers. */
  async #mismatch(
    principal: HubPrincipal,
    { name, arguments: args }: Readonly<Record<string, unknown>>,
    headers: Headers,
  ): Promise<string | undefined> {
    if (typeof name !== 'string') return undefined;
    const found = await this.catalogue.findTool(principal, name).catch((): undefined => undefined);
    const wrong = found && paramMismatch(found.original, args, headers);
    if (!found || wrong === undefined) return undefined;
    // Of a tool that they are not offered callers learn from the policy alone.
    return (await this.catalogue.offers(principal, found)) ? wrong : undefined;
  }

  async #watch(principal: HubPrincipal, uri: string): Promise<() => void> {
    const place = await this.catalogue.findUri(principal, uri);
    if (!place) throw vpError('HUB_TOOL_UNKNOWN', { name: uri.slice(0, 100) });
    const isOwn = place.connection.credential.kind === 'oauth' && place.connection.credential.sharing === 'per_user';
    return this.#watches.watch(place, isOwn ? principal.person.personId : '');
  }

  /** Watches what a listener wants to hear of until it leaves; what cannot be watched is left out. */
  async #watchAll(
    principal: HubPrincipal,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { resourceSubscriptions: wanted } = Object(params.notifications);
    if (!Array.isArray(wanted)) return;
    const uris = wanted.filter((uri) => typeof uri === 'string').slice(0, mostWatchedAtOnce);
    const stops = await Promise.all(uris.map((uri) => this.#watch(principal, uri).catch((): undefined => undefined)));
    const stopAll = (): void => {
      for (const stop of stops) stop?.();
    };
    if (signal.aborted) stopAll();
    else signal.addEventListener('abort', stopAll, { once: true });
  }

  /** Connections came, went or changed: lists are told as changed, what nobody has any more is closed. */
  async #hubChanged(hubId: string): Promise<void> {
    this.catalogue.forget(hubId);
    this.upstreams.keepOnly(hubId, await this.#ports.book.ofHub(hubId).catch(() => []));
    for (const list of ['tools', 'prompts', 'resources'] as const) this.#events.changed(hubId, list);
  }
}

/** What callers do wrong is told to them and is no fault of ours. */
function isOurs(error: Error): boolean {
  return !/^Rejected |Unsupported/.test(error.message);
}
