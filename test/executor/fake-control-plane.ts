/**
 * An in-memory control plane that implements the protocol of contract/executor-api.ts, records calls, and loses calls
 * or responses on request.
 */
import type {
  ChallengeRequest,
  ChallengeResponse,
  CompleteRequest,
  ControlPort,
  DirectRunRequest,
  GiveBackRequest,
  HeartbeatRequest,
  HeartbeatResponse,
  HelloRequest,
  HelloResponse,
  Lease,
  LeaseOffer,
  PollRequest,
} from '../../src/contract/executor-api.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { formatRunId } from '../../src/run/run-id.ts';

export type CallName = keyof ControlPort;
/** `call`: the call does not arrive. `answer`: it arrives, its response is lost. */
export type LostPart = 'call' | 'answer';

type CurrentLease = { readonly lease: Lease; readonly epoch: number };

/** Records every lease; times are short so that tests need not wait. */
export class FakeControlPlane implements ControlPort {
  leaseMs = 5000;
  heartbeatMs = 15;
  readonly hellos: HelloRequest[] = [];
  readonly calls: CallName[] = [];
  readonly completed: CompleteRequest[] = [];
  readonly direct: DirectRunRequest[] = [];
  readonly returnedRuns: string[] = [];
  /** Returned by the next heartbeats instead of the actual state. */
  heartbeatOverride: HeartbeatResponse | undefined;
  /** Thrown by every call of that name until it is deleted. */
  readonly refusals = new Map<CallName, Error>();
  readonly #losses: [CallName, LostPart][] = [];
  readonly #queue: Lease[] = [];
  readonly #ended = new Set<string>();
  readonly #cancelled = new Set<string>();
  readonly #wakes = new Set<() => void>();
  #held: CurrentLease | undefined;
  #epoch = 0;
  #fence = 0;
  #lastMs = Date.UTC(2026, 10, 20);

  /** Adds a run; returns its id. */
  request(text: string, more: Pick<Lease, 'prove'> = {}): string {
    this.#lastMs += 1;
    const run_id = formatRunId(this.#lastMs);
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

  /** Queues a run again, as a control plane restored from a backup might; `suffix` distinguishes its correlation id. */
  offerAgain(runId: string, text: string, suffix = 'x'): void {
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
      correlation_id: `tr-${runId}-${suffix}`,
      fence: 0,
      lease_ms: this.leaseMs,
      ...facts,
    });
    this.#wake();
  }

  cancel(runId: string): void {
    this.#cancelled.add(runId);
  }

  /** Loses the next calls of that name, one after another. */
  loseCalls(name: CallName, ...losses: LostPart[]): void {
    this.#losses.push(...losses.map((loss): [CallName, LostPart] => [name, loss]));
  }

  /** Simulates another start of this executor. */
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

  challenge({ start_id }: ChallengeRequest): Promise<ChallengeResponse> {
    return this.#answer('challenge', () => ({ challenge: `challenge-of-${start_id}`.slice(0, 64) }));
  }

  hello(message: HelloRequest): Promise<HelloResponse> {
    return this.#answer('hello', () => {
      this.hellos.push(message);
      this.#epoch += 1;
      this.#inherit(message);
      const { leaseMs: lease_ms, heartbeatMs: heartbeat_ms } = this;
      return { instance: 'shop', epoch: this.#epoch, lease_ms, heartbeat_ms, control_plane_version: '0.4.0' };
    });
  }

  async poll(message: PollRequest, signal?: AbortSignal): Promise<LeaseOffer> {
    if (message.wait_ms > 0 && message.epoch === this.#epoch) await this.#work(signal);
    return this.#answer('poll', () => {
      this.#require(message.epoch);
      return this.#offer();
    });
  }

  heartbeat(message: HeartbeatRequest): Promise<HeartbeatResponse> {
    return this.#answer('heartbeat', () => {
      this.#require(message.epoch);
      if (this.heartbeatOverride) return this.heartbeatOverride;
      const isCurrent = this.#held?.lease.run_id === message.run_id && this.#held.lease.fence === message.fence;
      return { lease_ms: isCurrent ? this.leaseMs : 0, cancel_requested: this.#cancelled.has(message.run_id) };
    });
  }

  complete(message: CompleteRequest): Promise<LeaseOffer> {
    return this.#answer('complete', () => {
      this.#require(message.epoch);
      if (!this.#ended.has(message.run_id)) this.completed.push(message);
      this.#ended.add(message.run_id);
      if (this.#held?.lease.run_id === message.run_id) this.#held = undefined;
      return message.more ? this.#offer() : { lease: null };
    });
  }

  giveBack(message: GiveBackRequest): Promise<void> {
    return this.#answer('giveBack', () => {
      this.#require(message.epoch);
      if (this.#held?.lease.run_id !== message.run_id) return;
      this.returnedRuns.push(message.run_id);
      this.#queue.unshift(this.#held.lease);
      this.#held = undefined;
    });
  }

  directRun(message: DirectRunRequest): Promise<void> {
    return this.#answer('directRun', () => {
      this.#require(message.epoch);
      const isKnown = this.direct.some(({ report }) => report.run_id === message.report.run_id);
      if (!isKnown) this.direct.push(message);
    });
  }

  #inherit({ started, finished }: HelloRequest): void {
    const current = this.#held;
    if (!current || finished.includes(current.lease.run_id)) return;
    this.#held = undefined;
    if (started.includes(current.lease.run_id)) this.#ended.add(current.lease.run_id);
    else this.#queue.unshift(current.lease);
  }

  #offer(): LeaseOffer {
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

  /** Resolves when there may be a run to offer. */
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
    const lossIndex = this.#losses.findIndex(([lost]) => lost === name);
    const [loss] = lossIndex === -1 ? [] : this.#losses.splice(lossIndex, 1);
    if (loss?.[1] === 'call') throw new TypeError('fetch failed');
    const response = act();
    if (loss?.[1] === 'answer') throw new TypeError('terminated');
    return response;
  }
}
