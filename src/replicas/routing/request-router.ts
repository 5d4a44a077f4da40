/** Where a request at this replica goes: to the control plane in this process, to the active replica, or it waits for one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../environment/clock.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { ConnectionAddresses } from '../../http/listener/request-head.ts';
import { type NodeHandler, securityHeaders } from '../../http/listener/request-listener.ts';
import { problemMediaType, toProblemBody } from '../../http/problem.ts';
import type { Forwarder, ForwardOutcome, PendingRequest } from '../forwarding/forwarder.ts';
import { formatHop, type Hop, hopHeaderName, maxHops, parseHop } from '../forwarding/hop-header.ts';
import { hasBody } from '../forwarding/message-headers.ts';
import { PeerSuspicion } from './peer-suspicion.ts';
import type { Peer } from './peers.ts';
import { isRepeatable, readRepeatableBody, WaitingRequests } from './waiting-requests.ts';

export type RoutingLimits = {
  /** Longer than a frozen replica is noticed, and another one has started. */
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
  /** Between two probes of an active replica that has lost a request, or refused a connection. */
  readonly probeMs: number;
};

export const defaultRoutingLimits: RoutingLimits = { maxWaitMs: 10_000, maxWaiting: 512, probeMs: 100 };

export type RequestRouterOptions = {
  readonly ownId: string;
  readonly hopKey: Uint8Array;
  readonly forwarder: Forwarder;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs' | 'nowMs' | 'sleep'>;
  readonly limits: RoutingLimits;
  /** Whether a request with an `Idempotency-Key` has the effect of one, however often it is executed. */
  readonly isKeyed: (method: string, path: string) => boolean;
  /** That of the listener of this process. */
  readonly getOwnAddress: () => string;
  /** The control plane of this process, while this replica may serve with it. */
  readonly findHandler: () => NodeHandler | undefined;
  readonly findPeer: () => Peer | undefined;
  /** The active replica may be gone. */
  readonly onSuspect: () => void;
  /** The clock that all replicas share. */
  readonly getDatabaseMs: () => number;
};

type Arrival = PendingRequest & {
  readonly hop: Hop | undefined;
  readonly deadlineMs: number;
  readonly isRepeatable: boolean;
};

type Target = Pick<Peer, 'id' | 'address' | 'lost'>;

const retryAfterSeconds = 2;
/** A request may be what ends the replicas that execute it. */
const maxLosses = 3;

export class RequestRouter {
  readonly #options: RequestRouterOptions;
  readonly #waiting: WaitingRequests;
  readonly #suspicion: PeerSuspicion;
  readonly #connections = new WeakMap<object, ConnectionAddresses>();

  constructor(options: RequestRouterOptions) {
    this.#options = options;
    const { clock, limits, forwarder, findPeer, onSuspect } = options;
    this.#waiting = new WaitingRequests(clock, limits.maxWaiting);
    this.#suspicion = new PeerSuspicion({
      ...{ clock, findPeer, onSuspect, probeMs: limits.probeMs, isAnswering: forwarder.isAnswering },
      onCleared: () => this.#waiting.wakeAll(),
    });
  }

  get waitingCount(): number {
    return this.#waiting.count;
  }

  /** The active replica, or this one's role, has changed. */
  onChange(): void {
    this.#waiting.wakeAll();
  }

  /** The connection at which a forwarded request first arrived. */
  findConnection(incoming: object): ConnectionAddresses | undefined {
    return this.#connections.get(incoming);
  }

  handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const hop = this.#readHop(incoming);
    // This process stood still: the request was given up by the replica that sent it.
    if (hop === 'expired') {
      writeProblem(outgoing, vpError('REPLICA_NONE_ACTIVE', {}));
      return;
    }
    if (hop) this.#connections.set(incoming, hop);
    const handler = this.#options.findHandler();
    if (handler) handler(incoming, outgoing);
    else void this.#receive({ incoming, outgoing }, hop);
  }

  #readHop(incoming: IncomingMessage): Hop | 'expired' | undefined {
    const header = incoming.headers[hopHeaderName];
    if (header === undefined) return undefined;
    const { hopKey, ownId, getDatabaseMs, limits } = this.#options;
    return parseHop(hopKey, header, incoming, { to: ownId, nowMs: getDatabaseMs(), maxAgeMs: limits.maxWaitMs });
  }

  async #receive({ incoming, outgoing }: PendingRequest, hop: Hop | undefined): Promise<void> {
    const { clock, limits, isKeyed } = this.#options;
    const deadlineMs = clock.monotonicMs() + limits.maxWaitMs;
    const canRepeat = isRepeatable(incoming, isKeyed);
    const body = canRepeat && hasBody(incoming) ? await readRepeatableBody(incoming) : undefined;
    await this.#route({ incoming, outgoing, body, hop, deadlineMs, isRepeatable: canRepeat });
  }

  async #route(arrival: Arrival): Promise<void> {
    const { findPeer } = this.#options;
    const { outgoing } = arrival;
    let losses = 0;
    while (!outgoing.destroyed && !this.#handleHere(arrival)) {
      const peer = findPeer();
      if (!peer || this.#suspicion.isSuspect(peer)) {
        if (await this.#pause(arrival)) continue;
        return writeProblem(outgoing, vpError('REPLICA_NONE_ACTIVE', {}));
      }
      const outcome = await this.#forward(arrival, peer);
      if (outcome === 'done') return;
      // Each replica may still know an earlier one as the active one, while the role has moved on.
      if (outcome === 'loop' && (await this.#pause(arrival))) continue;
      if (outcome === 'loop') return writeProblem(outgoing, vpError('REPLICA_LOOP', { hops: maxHops }));
      this.#suspicion.suspect(peer);
      if (outcome === 'unsent') continue;
      losses += 1;
      if (arrival.isRepeatable && losses < maxLosses) continue;
      await this.#waitForSuccessor(arrival);
      // A read has no effect that its caller must look for: it is simply tried again, as event streams do for ever.
      const isRead = arrival.isRepeatable && !hasBody(arrival.incoming);
      return writeProblem(outgoing, vpError(isRead ? 'REPLICA_NONE_ACTIVE' : 'REPLICA_LOST', {}));
    }
  }

  /** False while this replica does not serve. */
  #handleHere(arrival: Arrival): boolean {
    const { findHandler, ownId, getOwnAddress } = this.#options;
    const handler = findHandler();
    if (!handler) return false;
    if (!arrival.body) handler(arrival.incoming, arrival.outgoing);
    // What was read of the request is not there for the handler any more: it comes again, at the listener of this process.
    else void this.#forwardHere(arrival, { id: ownId, address: getOwnAddress(), lost: new AbortController().signal });
    return true;
  }

  async #forwardHere(arrival: Arrival, target: Target): Promise<void> {
    const outcome = await this.#forward(arrival, target);
    if (outcome === 'loop') writeProblem(arrival.outgoing, vpError('REPLICA_LOOP', { hops: maxHops }));
    else if (outcome === 'unsent') writeProblem(arrival.outgoing, vpError('REPLICA_NONE_ACTIVE', {}));
    else if (outcome === 'lost') writeProblem(arrival.outgoing, vpError('REPLICA_LOST', {}));
  }

  async #forward(arrival: Arrival, { id, address, lost }: Target): Promise<ForwardOutcome | 'loop'> {
    const { ownId, hopKey, forwarder, getDatabaseMs } = this.#options;
    const { incoming, hop } = arrival;
    const hops = (hop?.hops ?? 0) + 1;
    if (hops > maxHops) return 'loop';
    const { remoteAddress, localAddress, localPort } = hop ?? incoming.socket;
    const next = { from: ownId, to: id, sentMs: getDatabaseMs(), hops, remoteAddress, localAddress, localPort };
    return forwarder.forward(arrival, { address, lost, hopHeader: formatHop(hopKey, next, incoming) });
  }

  /**
   * Until the caller can ask again: before that, whoever repeats the request at once would lose it again at another replica,
   * which does not know yet.
   */
  async #waitForSuccessor(arrival: Arrival): Promise<void> {
    const { findPeer, findHandler } = this.#options;
    const hasSuccessor = (): boolean => {
      const current = findPeer();
      return findHandler() !== undefined || (current !== undefined && !this.#suspicion.isSuspect(current));
    };
    while (!hasSuccessor() && !arrival.outgoing.destroyed) if (!(await this.#pause(arrival))) return;
  }

  /** Until the next change. False when the request must not wait any longer. */
  async #pause({ deadlineMs }: Arrival): Promise<boolean> {
    const leftMs = deadlineMs - this.#options.clock.monotonicMs();
    return leftMs > 0 && this.#waiting.wait(leftMs);
  }
}

/** For requests that no control plane has seen. */
function writeProblem(outgoing: ServerResponse, error: VpError): void {
  writeJson(outgoing, error.row.status, toProblemBody(error), problemMediaType);
}

export function writeJson(
  outgoing: ServerResponse,
  status: number,
  body: unknown,
  contentType = 'application/json',
): void {
  if (outgoing.destroyed || outgoing.headersSent) return;
  const text = JSON.stringify(body);
  outgoing.setHeaders(securityHeaders);
  const headers = {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  };
  const retry = status >= 500 ? { 'Retry-After': String(retryAfterSeconds) } : {};
  outgoing.writeHead(status, { ...headers, ...retry }).end(text);
}
