/** An executor for the model test: keeps the protocol, but can lose messages, crash, and lose its journal. */
import {
  type CompleteRequest,
  type ControlPort,
  executorFeatures,
  type Lease,
  type PollRequest,
} from '../../../src/contract/executor-api.ts';
import { VpError } from '../../../src/errors/vp-error.ts';
import { createTestReport } from '../report-fixture.ts';

/** `isAnnounced`: the control plane knows that the run is sent. */
type Hand = { lease: Lease; untilMs: number; isAnnounced: boolean };

/** The fate of a call. */
export type Delivery = 'delivered' | 'request lost' | 'answer lost';

/** State that survives a crash: the executor's own store. */
type Journal = { storeId: string; started: Set<string>; outbox: Map<string, CompleteRequest> };

export class ModelExecutor {
  #journal: Journal;
  #epoch: number | undefined;
  #hand: Hand | undefined;
  #stores = 0;
  #calls = 0;
  /** Of the newest poll that waits. */
  #connection: AbortController | undefined;
  /** How often the request of a run was sent, as the target counts. */
  readonly sent = new Map<string, number>();
  /** Reports the control plane has acknowledged. */
  readonly acknowledged = new Set<string>();
  /** Fences in the order they were granted. */
  readonly fences: number[] = [];
  /** What no call may throw. */
  readonly faults: unknown[] = [];

  readonly #port: () => ControlPort;
  readonly #nowMs: () => number;

  readonly #name: string;
  /** What an executor of 0.4.0 does not send. */
  readonly #more: Pick<PollRequest, 'announces_send' | 'features'>;

  constructor(port: () => ControlPort, name: string, nowMs: () => number, isCurrent: boolean) {
    this.#more = isCurrent ? { announces_send: true, features: executorFeatures } : {};
    this.#port = port;
    this.#name = name;
    this.#journal = this.#newJournal();
    this.#nowMs = nowMs;
  }

  /** Makes a call with the given fate; undefined when there is no response. A superseded executor must say hello again. */
  async #call<T>(delivery: Delivery, call: () => Promise<T>): Promise<T | undefined> {
    if (delivery === 'request lost') return undefined;
    try {
      const answer = await call();
      return delivery === 'answer lost' ? undefined : answer;
    } catch (error) {
      if (!(error instanceof VpError) || error.code !== 'EXECUTOR_SUPERSEDED') throw error;
      this.#epoch = undefined;
      this.#hand = undefined;
      return undefined;
    }
  }

  async hello(delivery: Delivery): Promise<void> {
    this.#hand = undefined;
    const { storeId, started, outbox } = this.#journal;
    const welcome = await this.#call(delivery, () =>
      this.#port().hello({
        protocol: 1,
        executor_version: '0.4.0',
        store_id: storeId,
        started: [...started],
        finished: [...outbox.keys()],
        target: 'http://app:3100',
      }),
    );
    if (!welcome) return;
    this.#epoch = welcome.epoch;
    started.clear();
  }

  #take(lease: Lease | null, requestedAtMs: number, isAnnounced = this.#more.announces_send !== true): void {
    if (!lease) return;
    if (this.fences.at(-1) !== lease.fence) this.fences.push(lease.fence);
    this.#hand = { lease, untilMs: requestedAtMs + lease.lease_ms, isAnnounced };
  }

  /** An executor of 0.4.0 does not number its calls. */
  #nextCall(): { readonly call?: number } {
    this.#calls += 1;
    return this.#more.features ? { call: this.#calls } : {};
  }

  /** Begins a poll that waits for work. An earlier one is given up, and its connection may stay open. */
  wait(delivery: Delivery): void {
    const epoch = this.#epoch;
    if (epoch === undefined || this.#hand || this.#journal.outbox.size > 0) return;
    const requestedAtMs = this.#nowMs();
    const connection = new AbortController();
    this.#connection = connection;
    const message = { epoch, in_hand: null, wait_ms: 25_000, ...this.#more, ...this.#nextCall() };
    const calls = this.#calls;
    this.#call(delivery, () => this.#port().poll(message, connection.signal)).then(
      (offer) => {
        const isGivenUp = this.#calls !== calls || this.#epoch !== epoch || connection.signal.aborted;
        if (offer && !isGivenUp) this.#take(offer.lease, requestedAtMs);
      },
      (error: unknown) => this.faults.push(error),
    );
  }

  /** The connection of the poll that waits. */
  disconnect(): void {
    this.#connection?.abort();
    this.#connection = undefined;
  }

  async poll(delivery: Delivery): Promise<void> {
    const epoch = this.#epoch;
    // Only without a lease: the control plane offers a lease again until its report has arrived.
    if (epoch === undefined || this.#hand || this.#journal.outbox.size > 0) return;
    const requestedAtMs = this.#nowMs();
    const message = { epoch, in_hand: null, wait_ms: 0, ...this.#more, ...this.#nextCall() };
    const offer = await this.#call(delivery, () => this.#port().poll(message));
    if (offer) this.#take(offer.lease, requestedAtMs);
  }

  /** False when the announcement has no response, or the lease is lost. */
  async #announce(hand: Hand, delivery: Delivery): Promise<boolean> {
    const epoch = this.#epoch;
    if (hand.isAnnounced || epoch === undefined) return hand.isAnnounced;
    const { run_id, fence } = hand.lease;
    const message = { epoch, run_id, fence, before_send: true };
    const pulse = await this.#call(delivery, () => this.#port().heartbeat(message));
    if (pulse?.lease_ms === 0) this.#hand = undefined;
    hand.isAnnounced = pulse !== undefined && pulse.lease_ms > 0;
    return hand.isAnnounced;
  }

  /** Announces and journals the start, then sends; only while the lease is valid by its own clock. */
  async start(delivery: Delivery): Promise<void> {
    const hand = this.#hand;
    if (!hand || this.#journal.started.has(hand.lease.run_id) || !(await this.#announce(hand, delivery))) return;
    if (this.#nowMs() >= hand.untilMs) {
      this.#hand = undefined;
      return;
    }
    this.#journal.started.add(hand.lease.run_id);
    this.sent.set(hand.lease.run_id, (this.sent.get(hand.lease.run_id) ?? 0) + 1);
  }

  finish(failed: boolean): void {
    const hand = this.#hand;
    if (!hand || !this.#journal.started.has(hand.lease.run_id)) return;
    const { run_id, fence } = hand.lease;
    const report = createTestReport(hand.lease, 'app', failed ? 'failed' : 'passed');
    this.#journal.started.delete(run_id);
    this.#journal.outbox.set(run_id, { epoch: 0, run_id, fence, more: true, report });
    this.#hand = undefined;
  }

  async upload(delivery: Delivery): Promise<void> {
    const epoch = this.#epoch;
    const [message] = this.#journal.outbox.values();
    if (epoch === undefined || !message) return;
    const requestedAtMs = this.#nowMs();
    const more = this.#hand === undefined && this.#journal.outbox.size === 1;
    const { features } = this.#more;
    const extra = { ...(features ? { features } : {}), ...this.#nextCall() };
    const offer = await this.#call(delivery, () => this.#port().complete({ ...message, epoch, more, ...extra }));
    if (!offer) return;
    this.#journal.outbox.delete(message.run_id);
    this.acknowledged.add(message.run_id);
    this.#take(offer.lease, requestedAtMs, true);
  }

  async heartbeat(delivery: Delivery): Promise<void> {
    const epoch = this.#epoch;
    const hand = this.#hand;
    if (epoch === undefined || !hand) return;
    const { run_id, fence } = hand.lease;
    const requestedAtMs = this.#nowMs();
    const pulse = await this.#call(delivery, () => this.#port().heartbeat({ epoch, run_id, fence }));
    if (pulse && this.#hand) this.#hand.untilMs = requestedAtMs + pulse.lease_ms;
  }

  async giveBack(delivery: Delivery): Promise<void> {
    const epoch = this.#epoch;
    const hand = this.#hand;
    if (epoch === undefined || !hand || this.#journal.started.has(hand.lease.run_id)) return;
    this.#hand = undefined;
    const { run_id, fence } = hand.lease;
    await this.#call(delivery, () => this.#port().giveBack({ epoch, run_id, fence }));
  }

  crash(): void {
    this.#epoch = undefined;
    this.#hand = undefined;
  }

  /** A crash that also loses the journal. */
  wipe(): void {
    this.crash();
    this.#journal = this.#newJournal();
  }

  #newJournal(): Journal {
    this.#stores += 1;
    return { storeId: `store-${this.#name}-${this.#stores}`, started: new Set(), outbox: new Map() };
  }

  /** Completes all work without failures. */
  async drain(): Promise<void> {
    await this.hello('delivered');
    await this.#workOff();
  }

  /** Completes all work, greeting first where it must. */
  async workOff(): Promise<void> {
    if (this.#epoch === undefined) await this.hello('delivered');
    await this.#workOff();
  }

  /** Until the queue is empty, or another start has taken over. */
  async #workOff(): Promise<void> {
    while (this.#epoch !== undefined) {
      await this.upload('delivered');
      await this.poll('delivered');
      if (!this.#hand && this.#journal.outbox.size === 0) return;
      await this.start('delivered');
      this.finish(false);
    }
  }
}
