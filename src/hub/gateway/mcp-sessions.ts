/**
 * Sessions of clients of older revisions, so that servers can ask questions and send notifications: limited in number, ended
 * when idle, and valid only for the person, credential and hub that started them. For everybody else they do not exist.
 */

import { type InitializeRequest, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { VpError } from '../../errors/vp-error.ts';
import { repeatEvery } from '../../timing/repeat.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { McpReply, McpRequest } from '../downstream/mcp-http.ts';
import { findRevisionRefusal } from '../downstream/request-route.ts';
import { negotiateRevision } from '../downstream/revisions.ts';
import {
  createLostEventsResponse,
  createMethodNotAllowedResponse,
  createRpcErrorResponse,
  createUnknownSessionResponse,
  toRpcError,
} from '../downstream/rpc-response.ts';
import { StreamRetention } from '../downstream/session-streams.ts';
import { pickForwardedCapabilities } from '../upstream/upstream-call.ts';
import { truncateClientInfo } from './call-context.ts';
import type { HubEvents } from './hub-events.ts';
import { McpSession, type StreamQuota } from './mcp-session.ts';
import { toProtocolError } from './protocol-error.ts';

export type McpSessionsDependencies = {
  readonly clock: Clock;
  readonly random: Random;
  readonly events: HubEvents;
  /** Of all people; the least recently used one makes room. */
  readonly maxSessions: number;
};

type OpenSession = { readonly session: McpSession; readonly stopListening: () => void };

const idleMs = 4 * 3_600_000;
const sweepMs = 60_000;
/** Proxies end streams that are silent for longer than a minute, and a client that has vanished is noticed by it. */
const heartbeatMs = 15_000;
const maxPerOwner = 64;
/** Over all credentials, so that one person cannot use up all sessions. */
const maxPerPerson = 256;
/** Length of a client's capabilities as JSON, which its session retains. */
const maxCapabilitiesLength = 8192;

export class McpSessions {
  readonly #dependencies: McpSessionsDependencies;
  /** By id, the least recently used first. */
  readonly #open = new Map<string, OpenSession>();
  /** The same by person. */
  readonly #byPerson = new Map<string, Map<string, McpSession>>();
  readonly #retention: StreamRetention;
  readonly #stopTimers: readonly (() => void)[];

  constructor(dependencies: McpSessionsDependencies) {
    const { clock } = dependencies;
    this.#dependencies = dependencies;
    this.#retention = new StreamRetention(clock);
    this.#stopTimers = [
      repeatEvery(clock, sweepMs, () => this.#sweep()),
      repeatEvery(clock, heartbeatMs, () => {
        for (const { session } of this.#open.values()) session.sendHeartbeat();
      }),
    ];
  }

  get size(): number {
    return this.#open.size;
  }

  /** Starts a session. Throws InvalidParams for capabilities that are too large. */
  start(
    principal: HubPrincipal,
    { protocolVersion, capabilities, clientInfo }: InitializeRequest['params'],
  ): McpSession {
    const { clock, random, events } = this.#dependencies;
    const forwarded = pickForwardedCapabilities(capabilities);
    if (JSON.stringify(forwarded).length > maxCapabilitiesLength)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the capabilities of the client are too large');
    const { name, version } = clientInfo;
    const session = new McpSession(
      {
        id: random.token(24),
        owner: getOwnerKey(principal),
        personId: principal.person.personId,
        revision: negotiateRevision(protocolVersion),
        capabilities: forwarded,
        client: truncateClientInfo({ name, version }),
      },
      clock,
      this.#retention,
    );
    this.#evictOldest(session);
    this.#open.set(session.id, { session, stopListening: events.listen(principal.hub.id, session) });
    this.#setNewest(session);
    return session;
  }

  /** Undefined for an unknown session and for that of another owner. */
  find(principal: HubPrincipal, id: string): McpSession | undefined {
    const entry = this.#open.get(id);
    if (entry?.session.owner !== getOwnerKey(principal)) return undefined;
    entry.session.lastUsedMs = this.#dependencies.clock.monotonicMs();
    this.#open.delete(id);
    this.#open.set(id, entry);
    this.#setNewest(entry.session);
    return entry.session;
  }

  /** Sends a notification that belongs to no request; nothing happens if the session has ended. */
  notify(id: string, method: string, params: Record<string, unknown>): void {
    this.#open.get(id)?.session.notify(method, params);
  }

  /** GET opens the stream of a session, DELETE ends it. */
  handle(
    principal: HubPrincipal,
    id: string,
    { method, headers }: Pick<McpRequest, 'method' | 'headers'>,
    openStream: StreamQuota,
  ): McpReply {
    const session = this.find(principal, id);
    if (!session) return createUnknownSessionResponse();
    if (method !== 'GET' && method !== 'DELETE') return createMethodNotAllowedResponse('GET, POST, DELETE');
    if (method === 'GET' && !headers.get('accept')?.includes('text/event-stream')) {
      const message = 'Not Acceptable: Client must accept text/event-stream';
      return createRpcErrorResponse(406, { code: -32000, message });
    }
    const refusal = findRevisionRefusal(headers);
    if (refusal) return refusal;
    if (method === 'GET') return listen(session, headers.get('last-event-id'), openStream);
    this.#end(session);
    return new Response(null, { status: 200 });
  }

  close(): void {
    for (const stop of this.#stopTimers) stop();
    for (const { session } of [...this.#open.values()]) this.#end(session);
  }

  #evictOldest({ owner, personId }: McpSession): void {
    const ofPerson = [...(this.#byPerson.get(personId)?.values() ?? [])];
    const ofOwner = ofPerson.filter((session) => session.owner === owner);
    const full = ofOwner.length >= maxPerOwner ? ofOwner : ofPerson.length >= maxPerPerson ? ofPerson : [];
    if (full[0]) this.#end(full[0]);
    else if (this.#open.size >= this.#dependencies.maxSessions) this.#endOldest();
  }

  #endOldest(): void {
    const oldest = this.#open.values().next().value;
    if (oldest) this.#end(oldest.session);
  }

  #setNewest(session: McpSession): void {
    const ofPerson = this.#byPerson.get(session.personId) ?? new Map<string, McpSession>();
    ofPerson.delete(session.id);
    this.#byPerson.set(session.personId, ofPerson.set(session.id, session));
  }

  #sweep(): void {
    this.#retention.dropOutdated();
    const idleSinceMs = this.#dependencies.clock.monotonicMs() - idleMs;
    for (const { session } of [...this.#open.values()]) if (session.lastUsedMs < idleSinceMs) this.#end(session);
  }

  #end(session: McpSession): void {
    this.#open.get(session.id)?.stopListening();
    this.#open.delete(session.id);
    const ofPerson = this.#byPerson.get(session.personId);
    ofPerson?.delete(session.id);
    if (ofPerson?.size === 0) this.#byPerson.delete(session.personId);
    session.end();
  }
}

function listen(session: McpSession, lastEventId: string | null, openStream: StreamQuota): McpReply {
  try {
    return session.listen(lastEventId, openStream) ?? createLostEventsResponse();
  } catch (error) {
    if (error instanceof VpError) return createRpcErrorResponse(error.row.status, toRpcError(toProtocolError(error)));
    throw error;
  }
}

function getOwnerKey({ hub, person, via }: HubPrincipal): string {
  const credentialId = via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : '';
  return JSON.stringify([hub.id, person.personId, via.kind, credentialId]);
}
