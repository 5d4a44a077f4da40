/**
 * An executor's lease of one run, from the response that brought it to the run's report.
 *
 * The lease time is counted from the moment its request was sent, by two clocks: the monotonic clock, and the wall
 * clock, because the monotonic clock of some systems stops while a machine sleeps. The lease ends by whichever is
 * first; heartbeats extend it.
 */
import type { ControlPort, Lease } from '../../contract/executor-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { withTimeout } from '../control-plane/call-timeout.ts';
import { isSuperseded } from '../control-plane/control-caller.ts';

/** One moment on both clocks. */
export type ClockReading = { readonly monotonicMs: number; readonly wallMs: number };

export function readClocks(clock: Clock): ClockReading {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
}

/** `sentAt` is when the request was sent whose response brought the lease. */
export type ActiveLeaseOptions = {
  readonly control: ControlPort;
  readonly clock: Clock;
  readonly epoch: number;
  readonly heartbeatMs: number;
  readonly sentAt: ClockReading;
};

/** A heartbeat that takes longer is abandoned; the next one follows. */
const heartbeatTimeoutMs = 10_000;

/** Sends heartbeats until `release`. */
export class ActiveLease {
  readonly lease: Lease;
  readonly #options: ActiveLeaseOptions;
  readonly #cancel = new AbortController();
  readonly #released = new AbortController();
  #validUntil: ClockReading;
  #stopTimer: () => void;

  constructor(lease: Lease, options: ActiveLeaseOptions) {
    this.lease = lease;
    this.#options = options;
    this.#validUntil = addDuration(options.sentAt, lease.lease_ms);
    if (lease.cancel_requested) this.#cancel.abort();
    this.#stopTimer = this.#schedule();
  }

  /** True while no other executor can have the run. */
  get isValid(): boolean {
    const { clock } = this.#options;
    return clock.monotonicMs() < this.#validUntil.monotonicMs && clock.nowMs() < this.#validUntil.wallMs;
  }

  /** Aborted when the run is cancelled. */
  get cancelSignal(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Stops the heartbeats. */
  release(): void {
    this.#stopTimer();
    this.#released.abort();
  }

  #schedule(): () => void {
    return this.#options.clock.after(this.#options.heartbeatMs, () => void this.#sendHeartbeat());
  }

  async #sendHeartbeat(): Promise<void> {
    const { control, clock, epoch } = this.#options;
    const { run_id, fence } = this.lease;
    const sentAt = readClocks(clock);
    try {
      const sendHeartbeat = (signal: AbortSignal) => control.heartbeat({ epoch, run_id, fence }, signal);
      const response = await withTimeout(clock, heartbeatTimeoutMs, this.#released.signal, sendHeartbeat);
      this.#validUntil = response.lease_ms === 0 ? sentAt : addDuration(sentAt, response.lease_ms);
      if (response.cancel_requested) this.#cancel.abort();
    } catch (error) {
      // Any other error means that the control plane is unreachable: the lease continues until it ends by time.
      if (isSuperseded(error)) this.#validUntil = sentAt;
    }
    if (!this.#released.signal.aborted) this.#stopTimer = this.#schedule();
  }
}

function addDuration({ monotonicMs, wallMs }: ClockReading, durationMs: number): ClockReading {
  return { monotonicMs: monotonicMs + durationMs, wallMs: wallMs + durationMs };
}
