/**
 * A control plane in memory that keeps the protocol of contract/executor-api.ts, counts what it is told, and loses calls
 * or answers when a test asks it to.
 */
import type {
  Complete,
  ControlPort,
  DirectRun,
  GiveBack,
  Heartbeat,
  Hello,
  Lease,
  Offer,
  Poll,
  Pulse,
  Welcome,
} from '../../src/contract/executor-api.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { runIdOf } from '../../src/run/run-id.ts';

/** A call of the port. */
export type CallName = keyof ControlPort;
/** `call`: it never arrives. `answer`: it arrives, its answer does not. */
export type Loss = 'call' | 'answer';

type Held = { readonly lease: Lease; readonly epoch: number };

/** Counts every lease that is given; times are short so that tests need no waiting. */
export class ControlDouble implements ControlPort {
  leaseMs = 5000;
  heartbeatMs = 15;
  readonly hellos: Hello[] = [];
  readonly calls: CallName[] = [];
  readonly completed: Complete[] = [];
  readonly direct: DirectRun[] = [];
  readonly givenBack: string[] = [];
  /** What the next heartbeats answer instead of the truth. */
  pulse: Pulse | undefined;
  /** Thrown by every call of that name until it is deleted. */
  readonly refusals = new Map<CallName, Error>();
  readonly #losses: [CallName, Loss][] = [];
  readonly #queue: Lease[] = [];
  readonly #ended = new Set<string>();
  readonly #cancelled = new Set<string>();
  readonly #wakes = new Set<() => void>();
  #held: Held | undefined;
  #epoch = 0;
  #fence = 0;
  #lastMs = Date.UTC(2026, 10, 20);

  /** Adds a run; gives its id. */
  request(text: string, more: Pick<Lease, 'prove'> = {}): string {
    this.#lastMs += 1;
    const run_id = runIdOf(this.#lastMs);
    const facts = {
      scenario_id: 'RT-document',
      revision: 1,
      scenario_text: text,
      queued_ms: 1,
      cancel_requested: false,
      ...more,
    };
    this.#queue.push({ run_id, correlation_id: `tr-${run_id}-x`, fence: 0, lease_ms: this.leaseMs, ...facts });
    this.#wake();
    return run_id;
  }

  /** Puts a run into the queue once more, as a control plane that was restored from a backup might; `mark`: another one. */
  offerAgain(runId: string, text: string, mark = 'x'): void {
    this.#ended.delete(runId);
    const facts = {
      scenario_id: 'RT-document',
      revision: 1,
      scenario_text: text,
      queued_ms: 1,
      cancel_requested: false,
    };
    this.#queue.push({
      run_id: runId,
      correlation_id: `tr-${runId}-${mark}`,
      fence: 0,
      lease_ms: this.leaseMs,
      ...facts,
    });
    this.#wake();
  }

  cancel(runId: string): void {
    this.#cancelled.add(runId);
  }

  /** The next calls of that name are lost so, one after another. */
  lose(name: CallName, ...losses: Loss[]): void {
    this.#losses.push(...losses.map((loss): [CallName, Loss] => [name, loss]));
  }

  /** Another start of this executor takes over. */
  supersede(): void {
    this.#epoch += 1;
    this.#wake();
  }

  /** The run that is leased now. */
  get leased(): string | undefined {
    return this.#held?.lease.run_id;
  }

  count(name: CallName): number {
    return this.calls.filter((call) => call === name).length;
  }

  hello(message: Hello): Promise<Welcome> {
    return this.#answer('hello', () => {
      this.hellos.push(message);
      this.#epoch += 1;
      this.#inherit(message);
      const { leaseMs: lease_ms, heartbeatMs: heartbeat_ms } = this;
      return { instance: 'shop', epoch: this.#epoch, lease_ms, heartbeat_ms, control_plane_version: '0.4.0' };
    });
  }

  async poll(message: Poll, signal?: AbortSignal): Promise<Offer> {
    if (message.wait_ms > 0 && message.epoch === this.#epoch) await this.#work(signal);
    return this.#answer('poll', () => {
      this.#require(message.epoch);
      return this.#offer();
    });
  }

  heartbeat(message: Heartbeat): Promise<Pulse> {
    return this.#answer('heartbeat', () => {
      this.#require(message.epoch);
      if (this.pulse) return this.pulse;
      const holds = this.#held?.lease.run_id === message.run_id && this.#held.lease.fence === message.fence;
      return { lease_ms: holds ? this.leaseMs : 0, cancel_requested: this.#cancelled.has(message.run_id) };
    });
  }

  complete(message: Complete): Promise<Offer> {
    return this.#answer('complete', () => {
      this.#require(message.epoch);
      if (!this.#ended.has(message.run_id)) this.completed.push(message);
      this.#ended.add(message.run_id);
      if (this.#held?.lease.run_id === message.run_id) this.#held = undefined;
      return message.more ? this.#offer() : { lease: null };
    });
  }

  giveBack(message: GiveBack): Promise<void> {
    return this.#answer('giveBack', () => {
      this.#require(message.epoch);
      if (this.#held?.lease.run_id !== message.run_id) return;
      this.givenBack.push(message.run_id);
      this.#queue.unshift(this.#held.lease);
      this.#held = undefined;
    });
  }

  directRun(message: DirectRun): Promise<void> {
    return this.#answer('directRun', () => {
      this.#require(message.epoch);
      const known = this.direct.some(({ report }) => report.run_id === message.report.run_id);
      if (!known) this.direct.push(message);
    });
  }

  #inherit({ started, finished }: Hello): void {
    const held = this.#held;
    if (!held || finished.includes(held.lease.run_id)) return;
    this.#held = undefined;
    if (started.includes(held.lease.run_id)) this.#ended.add(held.lease.run_id);
    else this.#queue.unshift(held.lease);
  }

  #offer(): Offer {
    if (this.#held) return { lease: this.#held.epoch === this.#epoch ? this.#held.lease : null };
    const next = this.#queue.shift();
    if (!next) return { lease: null };
    this.#fence += 1;
    const cancel_requested = this.#cancelled.has(next.run_id);
    this.#held = {
      lease: { ...next, fence: this.#fence, lease_ms: this.leaseMs, cancel_requested },
      epoch: this.#epoch,
    };
    return { lease: this.#held.lease };
  }

  /** Resolves when there may be something to offer. */
  async #work(signal?: AbortSignal): Promise<void> {
    if (this.#held ? this.#held.epoch === this.#epoch : this.#queue.length > 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#wakes.add(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  #wake(): void {
    for (const wake of this.#wakes) wake();
    this.#wakes.clear();
  }

  #require(epoch: number): void {
    if (epoch === this.#epoch) return;
    throw vpError('EXECUTOR_SUPERSEDED', { instance: 'shop', epoch, current: this.#epoch });
  }

  async #answer<T>(name: CallName, act: () => T): Promise<T> {
    this.calls.push(name);
    const refusal = this.refusals.get(name);
    if (refusal) throw refusal;
    const at = this.#losses.findIndex(([lost]) => lost === name);
    const [loss] = at === -1 ? [] : this.#losses.splice(at, 1);
    if (loss?.[1] === 'call') throw new TypeError('fetch failed');
    const answer = act();
    if (loss?.[1] === 'answer') throw new TypeError('terminated');
    return answer;
  }
}
