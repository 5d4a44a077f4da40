/** A load balancer that knows nothing of replicas but what `/readyz` says. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/environment/clock.ts';
import { repeatEvery } from '../../src/timing/repeat.ts';
import type { TestEnd } from '../postgres/server-process.ts';

type Balanced = { readonly url: string };

export type ReplicaReadiness = {
  readonly status: string;
  readonly replica: { readonly id: string; readonly role: string; readonly epoch: number; readonly active: string };
};

export async function readReadiness({ url }: Balanced): Promise<ReplicaReadiness> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
  return (await response.json()) as ReplicaReadiness;
}

export type LoadBalancer = { readonly url: string; setReplicas(replicas: readonly Balanced[]): void };

/** The status of a request for which no replica is there, or whose connection ended before its response. */
export type BalancerStatuses = { readonly unavailable: number; readonly lost: number };

/** Nobody else answers with these, so that a test can tell them apart. */
const ownStatuses: BalancerStatuses = { unavailable: 599, lost: 598 };

const healthCheckMs = 100;

/**
 * Sends each request to the next replica that is ready, and to another one when a connection is refused. One that refused or
 * ended a connection is left out until the next check. It knows nothing of roles, and repeats nothing that was sent.
 */
export async function startLoadBalancer(
  t: TestEnd,
  { unavailable, lost }: BalancerStatuses = ownStatuses,
): Promise<LoadBalancer> {
  let replicas: readonly Balanced[] = [];
  let targets: readonly string[] = [];
  let count = 0;
  const examine = async (): Promise<void> => {
    const states = await Promise.all(replicas.map((replica) => readReadiness(replica).catch(() => undefined)));
    const ready = replicas.filter((_, index) => states[index]?.status === 'ready');
    if (ready.length > 0) targets = ready.map(({ url }) => url);
  };
  t.teardown(repeatEvery(systemClock, healthCheckMs, examine, () => undefined));
  // As nginx does by default.
  const leaveOut = (target: string): void => {
    if (targets.length > 1) targets = targets.filter((other) => other !== target);
  };
  const server = createServer((incoming, outgoing) => {
    const forward = (attempts: number): void => {
      count += 1;
      const target = targets[count % targets.length];
      if (target === undefined || attempts === 0) {
        outgoing.writeHead(unavailable).end('no replica accepts connections');
        return;
      }
      const upstream = request(`${target}${incoming.url}`, {
        method: incoming.method,
        headers: incoming.headers,
        agent: false,
      });
      const leave = (): void => void upstream.destroy();
      outgoing.once('close', leave);
      let isConnected = false;
      upstream.once('socket', (socket) =>
        socket.once('connect', () => {
          isConnected = true;
          incoming.pipe(upstream);
        }),
      );
      upstream.once('response', (response) => {
        outgoing.writeHead(response.statusCode ?? lost, response.headers);
        response.pipe(outgoing);
        response.once('close', () => response.complete || outgoing.destroy());
      });
      upstream.once('error', () => {
        outgoing.off('close', leave);
        if (outgoing.destroyed) return;
        leaveOut(target);
        if (!isConnected) forward(attempts - 1);
        else if (!outgoing.headersSent) outgoing.writeHead(lost).end('the replica closed the connection');
      });
    };
    forward(targets.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setReplicas(next) {
      replicas = next;
      if (targets.length === 0) targets = next.map(({ url }) => url);
    },
  };
}
