/** Callers of the control plane: they request, read and cancel runs, and write down what they were answered and when. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { type Client, createClient } from '../../src/client/client.ts';
import { VpError } from '../../src/errors/vp-error.ts';
import type { QueueInput, QueueOutput, RunOutput } from './history/models.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { StormRecord } from './storm-record.ts';
import { stormScenarioId } from './target.ts';

/** Callers of the run API stop requesting above this length of the queue, so that a storm does not end with hours of work. */
const maxQueued = 12;
const callTimeoutMs = 5000;

export type RunClientOptions = {
  readonly record: StormRecord;
  readonly random: SeededRandom;
  readonly instance: string;
  readonly url: string;
  readonly token: string;
  /** Nothing new is requested after it is aborted. */
  readonly ending: AbortSignal;
  /** Calls without a response are given up after it is aborted. */
  readonly closing: AbortSignal;
};

export function createStormClient(url: string, token: string): Client {
  return createClient({ baseUrl: url, token, fetch: (target, init) => fetch(target, init) });
}

class RunClient {
  readonly #options: RunClientOptions;
  readonly #client: Client;
  /** The newest runs of this caller, and the keys of its requests. */
  readonly #runIds: string[] = [];
  readonly #keys: { readonly key: string; readonly count: number }[] = [];

  constructor(options: RunClientOptions) {
    this.#options = options;
    this.#client = createStormClient(options.url, options.token);
  }

  #addOperation(input: QueueInput, output: QueueOutput | undefined, calledAtMs: number): void {
    const { record, instance } = this.#options;
    const returnedAtMs = output === undefined ? Number.POSITIVE_INFINITY : performance.now();
    record.add(record.queues, instance, { input, output, calledAtMs, returnedAtMs });
  }

  /** Repeats a call until it is answered; a refusal that is an answer is decided by `accept`. Undefined if given up. */
  async #callRepeatedly<T>(
    call: (signal: AbortSignal) => Promise<T>,
    accept: (error: VpError) => T | undefined,
    attempts = { count: 0 },
  ) {
    const { closing, random } = this.#options;
    while (!closing.aborted) {
      attempts.count += 1;
      try {
        return await call(AbortSignal.any([AbortSignal.timeout(callTimeoutMs), closing]));
      } catch (error) {
        const accepted = error instanceof VpError ? accept(error) : undefined;
        if (accepted !== undefined) return accepted;
        await sleepFor(random.integer(20, 200));
      }
    }
    return undefined;
  }

  /** A request with a key, by one caller or by two at the same time, repeated until it is answered. */
  async request(): Promise<void> {
    const { record, random, instance } = this.#options;
    const known = this.#keys.at(-random.integer(1, 5));
    const isRepeated = known !== undefined && random.chance(0.1);
    const { key, count } = isRepeated ? known : { key: randomUUID(), count: random.integer(1, 3) };
    const scenarios = Array.from({ length: count }, () => ({ id: stormScenarioId }));
    const calledAtMs = performance.now();
    const requestOnce = async () => {
      const startMs = performance.now();
      const runs = await this.#callRepeatedly(
        (signal) => this.#client.runs.request(instance, { scenarios }, { idempotencyKey: key, signal }),
        () => undefined,
      );
      const returnedAtMs = runs ? performance.now() : Number.POSITIVE_INFINITY;
      const output = runs?.map(({ run_id }) => run_id);
      record.add(record.keys, key, { input: { count }, output, calledAtMs: startMs, returnedAtMs });
      return runs ? { runs, returnedAtMs } : undefined;
    };
    const callers = Array.from({ length: random.chance(0.1) ? 2 : 1 }, requestOnce);
    const answers = (await Promise.all(callers)).filter((answer) => answer !== undefined);
    const [first] = answers.sort((a, b) => a.returnedAtMs - b.returnedAtMs);
    if (!first || isRepeated) return;
    record.counts.requests += 1;
    const runIds = first.runs.map(({ run_id }) => run_id);
    const operation = { input: { kind: 'request', count }, output: { runIds }, calledAtMs } as const;
    record.add(record.queues, instance, { ...operation, returnedAtMs: first.returnedAtMs });
    for (const { run_id, correlation_id } of first.runs)
      record.acknowledged.set(run_id, { instance, correlationId: correlation_id });
    this.#keys.push({ key, count });
    this.#runIds.push(...runIds);
    this.#runIds.splice(0, this.#runIds.length - 30);
  }

  async read(runId: string): Promise<void> {
    const calledAtMs = performance.now();
    const run = await this.#client.runs.get(runId, { signal: AbortSignal.timeout(callTimeoutMs) }).catch((error) => {
      if (error instanceof VpError && error.code === 'RUN_UNKNOWN')
        this.#options.record.addProblem(`${runId} was acknowledged and is unknown`);
      return undefined;
    });
    if (run) this.#addOperation({ kind: 'read', runId }, { state: run.state, ahead: run.queue_position }, calledAtMs);
  }

  /** Repeated until it is answered. */
  async cancel(runId: string): Promise<void> {
    const { record } = this.#options;
    const calledAtMs = performance.now();
    const attempts = { count: 0 };
    record.cancelled.add(runId);
    const state = await this.#callRepeatedly<RunOutput>(
      async (signal) => (await this.#client.runs.cancel(runId, { signal })).state,
      ({ code }) => (code === 'RUN_FINAL' ? 'final' : undefined),
      attempts,
    );
    // The network may have doubled it, too: it counts as repeated in any case.
    const input = { kind: 'cancel', runId, repeated: true } as const;
    this.#addOperation(input, state === undefined ? undefined : { state, ahead: 0 }, calledAtMs);
  }

  /** The number of runs in the queue, if there was an answer. */
  async readStatus(): Promise<number | undefined> {
    const { instance } = this.#options;
    const calledAtMs = performance.now();
    const signal = AbortSignal.timeout(callTimeoutMs);
    const status = await this.#client.instances.get(instance, { signal }).catch(() => undefined);
    if (!status) return undefined;
    this.#addOperation({ kind: 'status' }, { running: status.running, queued: status.queued }, calledAtMs);
    return status.queued;
  }

  async run(): Promise<void> {
    const { random, ending } = this.#options;
    let queued = 0;
    while (!ending.aborted) {
      const runId = this.#runIds.length > 0 ? random.pick(this.#runIds) : undefined;
      const draw = random.fraction();
      if (queued <= maxQueued && (runId === undefined || draw < 0.3)) await this.request();
      else if (runId !== undefined && draw < 0.37) await this.cancel(runId);
      else if (runId !== undefined && draw < 0.75) await this.read(runId);
      queued = (await this.readStatus()) ?? queued;
      await sleepFor(random.integer(10, 150));
    }
  }
}

export async function callRuns(options: RunClientOptions): Promise<void> {
  await new RunClient(options).run();
}
