import type { Client } from '../../src/client/client.ts';
import { stormScenarioId } from '../storm/target.ts';

const workers = 4;

/** Requests that may be repeated, and are repeated once, as an idempotent client does. No executor is needed: runs are cancelled. */
export class ReplicaLoad {
  readonly failures: unknown[] = [];
  readonly requested = new Set<string>();
  requests = 0;
  repeated = 0;
  slowestMs = 0;
  readonly #client: Client;
  readonly #instance: string;
  #isOver = false;
  readonly #ended: Promise<unknown>;

  constructor(client: Client, instance: string) {
    this.#client = client;
    this.#instance = instance;
    this.#ended = Promise.all(Array.from({ length: workers }, (_, worker) => this.#work(worker)));
  }

  async #send<T>(call: () => Promise<T>): Promise<T | undefined> {
    const startMs = performance.now();
    this.requests += 1;
    try {
      return await call().catch(() => {
        this.repeated += 1;
        return call();
      });
    } catch (error) {
      this.failures.push(error);
      return undefined;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startMs);
    }
  }

  async #work(worker: number): Promise<void> {
    for (let count = 0; !this.#isOver; count += 1) {
      const idempotencyKey = `${worker}-${count}`;
      const scenarios = [{ id: stormScenarioId }];
      const runs = await this.#send(() => this.#client.runs.request(this.#instance, { scenarios }, { idempotencyKey }));
      for (const { run_id } of runs ?? []) {
        this.requested.add(run_id);
        // The queue stays short.
        await this.#send(() => this.#client.runs.get(run_id));
        await this.#client.runs.cancel(run_id).catch(() => undefined);
      }
      await this.#send(() => this.#client.instances.list());
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }
}
