/**
 * Sessions of clients of the older eras, so that servers can ask them things and tell them changes: bounded, ended when idle,
 * and good only for the person, the way and the hub that began them. To everybody else they do not exist.
 */
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import type { HubPrincipal } from '../words.ts';
import { type Arrived, authInfoFor } from './caller.ts';
import type { HubEvents } from './hub-events.ts';
import type { ServedSession } from './hub-server.ts';

/** What sessions are made with. */
export type SessionParts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly events: HubEvents;
  serverFor(principal: HubPrincipal, session: ServedSession): Server;
  /** Watches a resource for the session; the returned function stops that. */
  watch(principal: HubPrincipal, uri: string): Promise<() => void>;
};

type Session = {
  readonly owner: string;
  readonly personId: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly watched: Map<string, () => void>;
  readonly unlisten: () => void;
  lastUsedMs: number;
};

const idleMs = 4 * 3_600_000;
const sweepMs = 60_000;
const mostSessions = 4000;
const mostOfOwner = 64;
/** By all ways together: nobody takes the sessions of the others. */
const mostOfPerson = 256;
const mostWatched = 200;

/** The sessions. */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #open = new Map<string, Session>();
  #cancelSweep: () => void;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#cancelSweep = parts.clock.after(sweepMs, () => this.#sweep());
  }

  get size(): number {
    return this.#open.size;
  }

  /** Answers an `initialize`, which begins a session. */
  async begin(arrived: Arrived, request: Request, parsedBody: unknown): Promise<Response> {
    const { principal } = arrived;
    const owner = ownerOf(principal);
    const session = await this.#made(principal, owner);
    const options = { parsedBody, authInfo: authInfoFor(arrived) };
    const response = await session.transport.handleRequest(request, options);
    if (session.transport.sessionId === undefined) this.#end('', session);
    return response;
  }

  /** Answers a request of a session; 404 where there is none such, or none of this caller. */
  async answer(arrived: Arrived, id: string, request: Request, parsedBody: unknown): Promise<Response> {
    const session = this.#open.get(id);
    if (!session || session.owner !== ownerOf(arrived.principal)) return unknownSession();
    session.lastUsedMs = this.#parts.clock.monotonicMs();
    this.#open.delete(id);
    this.#open.set(id, session);
    const authInfo = authInfoFor(arrived);
    return session.transport.handleRequest(request, parsedBody === undefined ? { authInfo } : { parsedBody, authInfo });
  }

  async close(): Promise<void> {
    this.#cancelSweep();
    for (const [id, session] of this.#open) this.#end(id, session);
  }

  async #made(principal: HubPrincipal, owner: string): Promise<Session> {
    const { random, events, clock } = this.#parts;
    const watched = new Map<string, () => void>();
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => random.token(24),
      onsessioninitialized: (id) => {
        this.#makeRoom(session);
        this.#open.set(id, session);
      },
      onsessionclosed: (id) => this.#end(id, session),
    });
    const server = this.#parts.serverFor(principal, this.#served(watched));
    server.onerror = () => {};
    const ignored = (): void => {};
    const unlisten = events.listen(principal.hub.id, {
      onChanged(list) {
        if (list === 'tools') server.sendToolListChanged().catch(ignored);
        if (list === 'prompts') server.sendPromptListChanged().catch(ignored);
        if (list === 'resources') server.sendResourceListChanged().catch(ignored);
      },
      onUpdated(uri) {
        if (watched.has(uri)) server.sendResourceUpdated({ uri }).catch(ignored);
      },
    });
    const { personId } = principal.person;
    const session: Session = { owner, personId, server, transport, watched, unlisten, lastUsedMs: clock.monotonicMs() };
    await server.connect(transport);
    return session;
  }

  #served(watched: Map<string, () => void>): ServedSession {
    return {
      logLevel: 'info',
      subscribe: async (principal, uri) => {
        if (watched.has(uri)) return;
        if (watched.size >= mostWatched) throw new RangeError(`a session watches at most ${mostWatched} resources`);
        watched.set(uri, await this.#parts.watch(principal, uri));
      },
      unsubscribe: (uri) => {
        watched.get(uri)?.();
        watched.delete(uri);
      },
    };
  }

  #makeRoom({ owner, personId }: Session): void {
    this.#endOldest(mostOfOwner, (session) => session.owner === owner);
    this.#endOldest(mostOfPerson, (session) => session.personId === personId);
    this.#endOldest(mostSessions, () => true);
  }

  /** Ends the one unused longest, where there are `most` already. */
  #endOldest(most: number, is: (session: Session) => boolean): void {
    const all = [...this.#open].filter(([, session]) => is(session));
    const [oldest] = all;
    if (oldest && all.length >= most) this.#end(...oldest);
  }

  #sweep(): void {
    const oldMs = this.#parts.clock.monotonicMs() - idleMs;
    for (const [id, session] of this.#open) if (session.lastUsedMs < oldMs) this.#end(id, session);
    this.#cancelSweep = this.#parts.clock.after(sweepMs, () => this.#sweep());
  }

  #end(id: string, session: Session): void {
    this.#open.delete(id);
    session.unlisten();
    for (const stop of session.watched.values()) stop();
    session.watched.clear();
    void session.server.close().catch(() => {});
  }
}

function ownerOf({ hub, person, via }: HubPrincipal): string {
  const way = via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : '';
  return JSON.stringify([hub.id, person.personId, via.kind, way]);
}

function unknownSession(): Response {
  const error = { code: -32001, message: 'Session not found' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
