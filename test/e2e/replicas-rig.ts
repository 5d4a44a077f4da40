/** Replicas of a control plane in processes of their own. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { packedFile } from '../packed/packed.ts';
import { readReadiness } from './load-balancer.ts';
import type { RunningProcess } from './processes.ts';
import { listeningUrl, type Sandbox } from './sandbox.ts';

export type ReplicaProcess = {
  readonly running: RunningProcess;
  readonly url: string;
  readonly id: string;
  readonly data: string;
};

export class ReplicaSet {
  readonly #sandbox: Sandbox;
  readonly #databaseUrl: string;
  /** The master key. */
  readonly variables: Readonly<Record<string, string>>;
  #count = 0;

  constructor(sandbox: Sandbox, databaseUrl: string) {
    this.#sandbox = sandbox;
    this.#databaseUrl = databaseUrl;
    this.variables = { VP_MASTER_KEY: randomBytes(32).toString('base64') };
  }

  async start(
    variables: Readonly<Record<string, string>> = {},
    program = packedFile,
    flags: readonly string[] = [],
  ): Promise<ReplicaProcess> {
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
      ...flags,
    ];
    const settings = { variables: { ...this.variables, ...variables }, lifetimeMs: 240_000 };
    const running = this.#sandbox.start(program, line, settings);
    const url = await listeningUrl(running);
    const [, id = ''] = await running.waitForOutput(/"replica":\{"id":"([^"]+)"/);
    return { running, url, id, data };
  }
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
