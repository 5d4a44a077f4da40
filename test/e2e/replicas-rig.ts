/** Replicas of a control plane in processes of their own, and a load balancer that knows nothing of them. */
import { randomBytes } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { repeatEvery } from '../../src/timing/repeat.ts';
import { eventually } from '../eventually.ts';
import type { RunningProcess } from './processes.ts';
import { listeningUrl, type Sandbox } from './sandbox.ts';

export type ReplicaProcess = {
  readonly running: RunningProcess;
  readonly url: string;
  readonly id: string;
  readonly data: string;
};

export type ReplicaReadiness = {
  readonly status: string;
  readonly replica: { readonly id: string; readonly role: string; readonly epoch: number; readonly active: string };
};

export class ReplicaSet {
  readonly #sandbox: Sandbox;
  readonly #databaseUrl: string;
  readonly #variables: Readonly<Record<string, string>>;
  #count = 0;

  constructor(sandbox: Sandbox, databaseUrl: string) {
    this.#sandbox = sandbox;
    this.#databaseUrl = databaseUrl;
    this.#variables = { VP_MASTER_KEY: randomBytes(32).toString('base64') };
  }

  async start(variables: Readonly<Record<string, string>> = {}): Promise<ReplicaProcess> {
    this.#count += 1;
    const data = join(this.#sandbox.folder, `replica-${this.#count}`);
    const line = [
      'serve',
      '--json',
      '--port',
      '0',
      '--data',
      data,
      '--drain-seconds',
      '1',
      '--database',
      this.#databaseUrl,
    ];
    const running = this.#sandbox.vp(line, { variables: { ...this.#variables, ...variables }, lifetimeMs: 240_000 });
    const url = await listeningUrl(running);
    const [, id = ''] = await running.waitForOutput(/"replica":\{"id":"([^"]+)"/);
    return { running, url, id, data };
  }
}

export async function readReadiness({ url }: Pick<ReplicaProcess, 'url'>): Promise<ReplicaReadiness> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
  return (await response.json()) as ReplicaReadiness;
}

/** The active one of `replicas`, once all of them agree on it and it is ready. */
export function findActiveReplica(replicas: readonly ReplicaProcess[]): Promise<ReplicaProcess> {
  return eventually(async () => {
    const states = await Promise.all(replicas.map(readReadiness));
    const active = replicas.find((_, index) => states[index]?.replica.role === 'active');
    const isAgreed = states.every(({ status, replica }) => status === 'ready' && replica.active === active?.id);
    return isAgreed ? active : undefined;
  });
}

export type LoadBalancer = { readonly url: string; setReplicas(replicas: readonly ReplicaProcess[]): void };

const healthCheckMs = 100;

/**
 * Sends each request to the next replica that is ready, and to another one when a connection is refused. It knows nothing of
 * roles, and repeats nothing that was sent.
 */
export async function startLoadBalancer(t: Test): Promise<LoadBalancer> {
  let replicas: readonly ReplicaProcess[] = [];
  let targets: readonly string[] = [];
  let count = 0;
  const examine = async (): Promise<void> => {
    const states = await Promise.all(replicas.map((replica) => readReadiness(replica).catch(() => undefined)));
    const ready = replicas.filter((_, index) => states[index]?.status === 'ready');
    if (ready.length > 0) targets = ready.map(({ url }) => url);
  };
  t.teardown(repeatEvery(systemClock, healthCheckMs, examine, () => undefined));
  const server = createServer((incoming, outgoing) => {
    const forward = (attempts: number): void => {
      count += 1;
      const target = targets[count % targets.length];
      if (target === undefined || attempts === 0) {
        outgoing.writeHead(599).end('no replica accepts connections');
        return;
      }
      const upstream = request(`${target}${incoming.url}`, {
        method: incoming.method,
        headers: incoming.headers,
        agent: false,
      });
      let isConnected = false;
      upstream.once('socket', (socket) =>
        socket.once('connect', () => {
          isConnected = true;
          incoming.pipe(upstream);
        }),
      );
      upstream.once('response', (response) => {
        outgoing.writeHead(response.statusCode ?? 599, response.headers);
        response.pipe(outgoing);
        response.once('close', () => response.complete || outgoing.destroy());
      });
      upstream.once('error', () => {
        if (!isConnected) forward(attempts - 1);
        else if (!outgoing.headersSent) outgoing.writeHead(598).end('the replica closed the connection');
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
