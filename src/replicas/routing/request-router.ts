/** Where a request at this replica goes: to the control plane in this process, to the active replica, or it waits for one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../environment/clock.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { ConnectionAddresses } from '../../http/listener/request-head.ts';
import { type NodeHandler, securityHeaders } from '../../http/listener/request-listener.ts';
import { problemMediaType, toProblemBody } from '../../http/problem.ts';
import type { Forwarder, PendingRequest } from '../forwarding/forwarder.ts';
import { formatHop, type Hop, hopHeaderName, maxHops, parseHop } from '../forwarding/hop-header.ts';
import type { Peer } from './peers.ts';
import { WaitingRequests } from './waiting-requests.ts';

export type RoutingLimits = {
  /** Longer than a frozen replica is noticed, and another one has started. */
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
  /** A connection was refused: the active replica is ending or starting. */
  readonly retryMs: number;
};

export const defaultRoutingLimits: RoutingLimits = { maxWaitMs: 8_000, maxWaiting: 512, retryMs: 100 };

export type RequestRouterOptions = {
  readonly ownId: string;
  readonly hopKey: Uint8Array;
  readonly forwarder: Forwarder;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs' | 'nowMs'>;
  readonly limits: RoutingLimits;
  /** The control plane of this process, while this replica may serve with it. */
  readonly findHandler: () => NodeHandler | undefined;
  readonly findPeer: () => Peer | undefined;
  /** The clock that all replicas share. */
  readonly getDatabaseMs: () => number;
};

type Arrival = PendingRequest & { readonly hop: Hop | undefined; readonly deadlineMs: number };

const retryAfterSeconds = 2;

export class RequestRouter {
  readonly #options: RequestRouterOptions;
  readonly #waiting: WaitingRequests;
  readonly #connections = new WeakMap<object, ConnectionAddresses>();

  constructor(options: RequestRouterOptions) {
    this.#options = options;
    this.#waiting = new WaitingRequests(options.clock, options.limits.maxWaiting);
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
    const { clock, limits } = this.#options;
    const hop = this.#readHop(incoming);
    // This process stood still: the request was given up by the replica that sent it.
    if (hop === 'expired') {
      writeProblem(outgoing, vpError('REPLICA_NONE_ACTIVE', {}));
      return;
    }
    if (hop) this.#connections.set(incoming, hop);
    const handler = this.#options.findHandler();
    if (handler) handler(incoming, outgoing);
    else void this.#route({ incoming, outgoing, hop, deadlineMs: clock.monotonicMs() + limits.maxWaitMs });
  }

  #readHop(incoming: IncomingMessage): Hop | 'expired' | undefined {
    const header = incoming.headers[hopHeaderName];
    if (header === undefined) return undefined;
    const { hopKey, ownId, getDatabaseMs, limits } = this.#options;
    return parseHop(hopKey, header, incoming, { to: ownId, nowMs: getDatabaseMs(), maxAgeMs: limits.maxWaitMs });
  }

  async #route(arrival: Arrival): Promise<void> {
    const { findHandler, findPeer, limits } = this.#options;
    const { incoming, outgoing } = arrival;
    for (;;) {
      if (outgoing.destroyed) return;
      const handler = findHandler();
      if (handler) return handler(incoming, outgoing);
      const peer = findPeer();
      if (peer) {
        const problem = await this.#forward(arrival, peer);
        if (problem !== 'again') return problem && writeProblem(outgoing, problem);
      }
      const pauseMs = peer && findPeer() === peer ? limits.retryMs : limits.maxWaitMs;
      if (!(await this.#pause(arrival, pauseMs))) return writeProblem(outgoing, vpError('REPLICA_NONE_ACTIVE', {}));
    }
  }

  /** `again`: the request is as it came, and may go elsewhere. Undefined when it was answered. */
  async #forward(arrival: Arrival, peer: Peer): Promise<'again' | VpError | undefined> {
    const { ownId, hopKey, forwarder, getDatabaseMs } = this.#options;
    const { incoming, hop } = arrival;
    const hops = (hop?.hops ?? 0) + 1;
    if (hops > maxHops) return vpError('REPLICA_LOOP', { hops: maxHops });
    const { remoteAddress, localAddress, localPort } = hop ?? incoming.socket;
    const next = { from: ownId, to: peer.id, sentMs: getDatabaseMs(), hops, remoteAddress, localAddress, localPort };
    const target = { address: peer.address, lost: peer.lost, hopHeader: formatHop(hopKey, next, incoming) };
    const outcome = await forwarder.forward(arrival, target);
    if (outcome === 'done') return undefined;
    return outcome === 'unsent' || isRepeatable(incoming) ? 'again' : vpError('REPLICA_LOST', {});
  }

  /** False when the request must not wait any longer. */
  async #pause({ deadlineMs }: Arrival, pauseMs: number): Promise<boolean> {
    const leftMs = deadlineMs - this.#options.clock.monotonicMs();
    return leftMs > 0 && this.#waiting.wait(Math.min(pauseMs, leftMs));
  }
}

/** Executing it twice changes nothing, and it has no body that was read. */
function isRepeatable({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return (method === 'GET' || method === 'HEAD') && !hasBody;
}

/** For requests that no control plane has seen. */
export function writeProblem(outgoing: ServerResponse, error: VpError): void {
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
