/**
 * Sessions of clients of older protocol eras, so that servers can ask questions and send notifications: limited in
 * number, ended when idle, and valid only for the person, credential and hub that started them. For everybody else they
 * do not exist.
 */
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import type { HubPrincipal } from '../types.ts';
import { createAuthInfo, type IncomingRequest } from './call-context.ts';
import type { HubEvents } from './hub-events.ts';
import type { SessionState } from './hub-server.ts';

export type McpSessionsDependencies = {
  readonly clock: Clock;
  readonly random: Random;
  readonly events: HubEvents;
  createServer(principal: HubPrincipal, session: SessionState): Server;
  /** Returns a function that stops watching. */
  watch(principal: HubPrincipal, uri: string): Promise<() => void>;
};

type McpSession = {
  readonly owner: string;
  readonly personId: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly watches: Map<string, () => void>;
  readonly stopListening: () => void;
  lastUsedMs: number;
};

const idleMs = 4 * 3_600_000;
const sweepMs = 60_000;
const maxSessions = 4000;
const maxPerOwner = 64;
/** Over all credentials, so that one person cannot use up all sessions. */
const maxPerPerson = 256;
const maxWatches = 200;

export class McpSessions {
  readonly #dependencies: McpSessionsDependencies;
  readonly #open = new Map<string, McpSession>();
  #cancelSweep: () => void;

  constructor(dependencies: McpSessionsDependencies) {
    this.#dependencies = dependencies;
    this.#cancelSweep = dependencies.clock.after(sweepMs, () => this.#sweep());
  }

  get size(): number {
    return this.#open.size;
  }

  /** Handles `initialize`, which starts a session. */
  async start(incoming: IncomingRequest, request: Request, parsedBody: unknown): Promise<Response> {
    const { principal } = incoming;
    const owner = getOwnerKey(principal);
    const session = await this.#create(principal, owner);
    const options = { parsedBody, authInfo: createAuthInfo(incoming) };
    const response = await session.transport.handleRequest(request, options);
    if (session.transport.sessionId === undefined) this.#end('', session);
    return response;
  }

  /** Handles a request of a session; 404 for an unknown session or another owner. */
  async handle(incoming: IncomingRequest, id: string, request: Request, parsedBody: unknown): Promise<Response> {
    const session = this.#open.get(id);
    if (!session || session.owner !== getOwnerKey(incoming.principal)) return createUnknownSessionResponse();
    session.lastUsedMs = this.#dependencies.clock.monotonicMs();
    this.#open.delete(id);
    this.#open.set(id, session);
    const authInfo = createAuthInfo(incoming);
    return session.transport.handleRequest(request, parsedBody === undefined ? { authInfo } : { parsedBody, authInfo });
  }

  async close(): Promise<void> {
    this.#cancelSweep();
    for (const [id, session] of this.#open) this.#end(id, session);
  }

  async #create(principal: HubPrincipal, owner: string): Promise<McpSession> {
    const { random, events, clock } = this.#dependencies;
    const watches = new Map<string, () => void>();
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => random.token(24),
      onsessioninitialized: (id) => {
        this.#evictOldest(session);
        this.#open.set(id, session);
      },
      onsessionclosed: (id) => this.#end(id, session),
    });
    const server = this.#dependencies.createServer(principal, this.#createState(watches));
    server.onerror = () => {};
    const ignoreError = (): void => {};
    const stopListening = events.listen(principal.hub.id, {
      onChanged(list) {
        if (list === 'tools') server.sendToolListChanged().catch(ignoreError);
        if (list === 'prompts') server.sendPromptListChanged().catch(ignoreError);
        if (list === 'resources') server.sendResourceListChanged().catch(ignoreError);
      },
      onUpdated(uri) {
        if (watches.has(uri)) server.sendResourceUpdated({ uri }).catch(ignoreError);
      },
    });
    const { personId } = principal.person;
    const session: McpSession = {
      owner,
      personId,
      server,
      transport,
      watches,
      stopListening,
      lastUsedMs: clock.monotonicMs(),
    };
    await server.connect(transport);
    return session;
  }

  #createState(watches: Map<string, () => void>): SessionState {
    return {
      logLevel: 'info',
      subscribe: async (principal, uri) => {
        if (watches.has(uri)) return;
        if (watches.size >= maxWatches) throw new RangeError(`a session watches at most ${maxWatches} resources`);
        watches.set(uri, await this.#dependencies.watch(principal, uri));
      },
      unsubscribe: (uri) => {
        watches.get(uri)?.();
        watches.delete(uri);
      },
    };
  }

  #evictOldest({ owner, personId }: McpSession): void {
    this.#endOldestIfFull(maxPerOwner, (session) => session.owner === owner);
    this.#endOldestIfFull(maxPerPerson, (session) => session.personId === personId);
    this.#endOldestIfFull(maxSessions, () => true);
  }

  /** Ends the least recently used session if there are `max` already. */
  #endOldestIfFull(max: number, matches: (session: McpSession) => boolean): void {
    const sessions = [...this.#open].filter(([, session]) => matches(session));
    const [oldest] = sessions;
    if (oldest && sessions.length >= max) this.#end(...oldest);
  }

  #sweep(): void {
    const idleSinceMs = this.#dependencies.clock.monotonicMs() - idleMs;
    for (const [id, session] of this.#open) if (session.lastUsedMs < idleSinceMs) this.#end(id, session);
    this.#cancelSweep = this.#dependencies.clock.after(sweepMs, () => this.#sweep());
  }

  #end(id: string, session: McpSession): void {
    this.#open.delete(id);
    session.stopListening();
    for (const stop of session.watches.values()) stop();
    session.watches.clear();
    void session.server.close().catch(() => {});
  }
}

function getOwnerKey({ hub, person, via }: HubPrincipal): string {
  const credentialId = via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : '';
  return JSON.stringify([hub.id, person.personId, via.kind, credentialId]);
}

function createUnknownSessionResponse(): Response {
  const error = { code: -32001, message: 'Session not found' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
