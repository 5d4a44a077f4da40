/**
 * An executor's hold on one leased run, from the answer that brought it to the run's report.
 *
 * The lease is counted from the moment its request was sent, by two clocks: the monotonic one, and the wall clock, because
 * the monotonic clock of some systems stands still while a machine sleeps. Either may end it; heartbeats prolong it.
 */
import type { ControlPort, Lease } from '../contract/executor-api.ts';
import type { Clock } from '../environment/clock.ts';
import { isSuperseded } from './insistence.ts';
import { within } from './within.ts';

/** A moment by both clocks. */
export type Moment = { readonly monotonicMs: number; readonly wallMs: number };

/** Both clocks now. */
export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
}

/** What a hold needs; `sentAt` is when the request was sent whose answer brought the lease. */
export type HoldOptions = {
  readonly control: ControlPort;
  readonly clock: Clock;
  readonly epoch: number;
  readonly heartbeatMs: number;
  readonly sentAt: Moment;
};

/** A heartbeat that takes longer is given up; the next one follows. */
const heartbeatLimitMs = 10_000;

/** Beats until `release`. */
export class Hold {
  readonly lease: Lease;
  readonly #options: HoldOptions;
  readonly #cancel = new AbortController();
  readonly #released = new AbortController();
  #until: Moment;
  #stopTimer: () => void;

  constructor(lease: Lease, options: HoldOptions) {
    this.lease = lease;
    this.#options = options;
    this.#until = later(options.sentAt, lease.lease_ms);
    if (lease.cancel_requested) this.#cancel.abort();
    this.#stopTimer = this.#schedule();
  }

  /** True while nobody else can have the run. */
  get valid(): boolean {
    const { clock } = this.#options;
    return clock.monotonicMs() < this.#until.monotonicMs && clock.nowMs() < this.#until.wallMs;
  }

  /** Aborted when somebody cancelled the run. */
  get cancelled(): AbortSignal {
    return this.#cancel.signal;
  }

  /** No more heartbeats. */
  release(): void {
    this.#stopTimer();
    this.#released.abort();
  }

  #schedule(): () => void {
    return this.#options.clock.after(this.#options.heartbeatMs, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    const { control, clock, epoch } = this.#options;
    const { run_id, fence } = this.lease;
    const sentAt = momentOf(clock);
    try {
      const beat = (signal: AbortSignal) => control.heartbeat({ epoch, run_id, fence }, signal);
      const pulse = await within(clock, heartbeatLimitMs, this.#released.signal, beat);
      this.#until = pulse.lease_ms === 0 ? sentAt : later(sentAt, pulse.lease_ms);
      if (pulse.cancel_requested) this.#cancel.abort();
    } catch (error) {
      // Anything else means that the control plane is away: the lease goes on until its own end.
      if (isSuperseded(error)) this.#until = sentAt;
    }
    if (!this.#released.signal.aborted) this.#stopTimer = this.#schedule();
  }
}

function later({ monotonicMs, wallMs }: Moment, durationMs: number): Moment {
  return { monotonicMs: monotonicMs + durationMs, wallMs: wallMs + durationMs };
}
