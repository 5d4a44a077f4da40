/**
 * An executor's lease of one run, from the response that brought it to the run's report.
 *
 * The lease time is counted from the moment its request was sent, by two clocks: the monotonic clock, and the wall
 * clock, because the monotonic clock of some systems stops while a machine sleeps. The lease ends by whichever is
 * first; heartbeats extend it.
 */
import type { ControlPort, HeartbeatRequest, JournalPosition, Lease } from '../../contract/executor-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { RunRequest } from '../../run/run-request.ts';
import { withTimeout } from '../../timing/timeout.ts';
import { isSessionEndingError } from '../control-plane/control-caller.ts';

/** One moment on both clocks. */
export type ClockReading = { readonly monotonicMs: number; readonly wallMs: number };

export function getClockReading(clock: Clock): ClockReading {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
}

/** `sentAt` is when the request was sent whose response brought the lease. */
export type ActiveLeaseOptions = {
  readonly control: ControlPort;
  readonly clock: Clock;
  readonly epoch: number;
  readonly heartbeatMs: number;
  readonly sentAt: ClockReading;
  /** The lease came with the response to a report: it counts as sent from the beginning. */
  readonly isAnnounced: boolean;
  readonly journal: () => JournalPosition;
};

/** A heartbeat, or an announcement, that takes longer is abandoned; the next one follows. */
const heartbeatTimeoutMs = 10_000;

/** One for all leases: without a reason each abort would create an exception with its stack. */
const releaseReason = new Error('the lease was released');

/** Sends heartbeats until `release`. */
export class ActiveLease {
  readonly lease: Lease;
  readonly #options: ActiveLeaseOptions;
  readonly #cancel = new AbortController();
  /** Only a lease that was announced, or has sent a heartbeat, needs one: most end before. */
  #released: AbortController | undefined;
  #isReleased = false;
  #validUntil: ClockReading;
  #stopTimer: () => void;
  #isAnnounced: boolean;

  constructor(lease: Lease, options: ActiveLeaseOptions) {
    this.lease = lease;
    this.#options = options;
    this.#isAnnounced = options.isAnnounced;
    this.#validUntil = addDuration(options.sentAt, lease.lease_ms);
    if (lease.cancel_requested) this.#cancel.abort();
    this.#stopTimer = this.#schedule();
  }

  /** True while no other executor can have the run. */
  get isValid(): boolean {
    const { clock } = this.#options;
    return clock.monotonicMs() < this.#validUntil.monotonicMs && clock.nowMs() < this.#validUntil.wallMs;
  }

  /** True when the control plane knows that the run is about to be sent. */
  get isAnnounced(): boolean {
    return this.#isAnnounced;
  }

  /** Aborted when the run is cancelled. */
  get cancelSignal(): AbortSignal {
    return this.#cancel.signal;
  }

  /**
   * Announces to the control plane that the run is about to be sent, once; true when the control plane has acknowledged that.
   * Nothing may be sent before: it may lease the run again. `stopping` ends the wait.
   */
  async announceSend(stopping: AbortSignal): Promise<boolean> {
    if (!this.#isAnnounced) {
      const signal = AbortSignal.any([this.#getReleaseSignal(), stopping]);
      this.#isAnnounced = await this.#exchange({ before_send: true }, signal);
    }
    return this.#isAnnounced && this.isValid;
  }

  /** Stops the heartbeats. */
  release(): void {
    this.#stopTimer();
    this.#isReleased = true;
    this.#released?.abort(releaseReason);
  }

  #schedule(): () => void {
    return this.#options.clock.after(this.#options.heartbeatMs, () => void this.#sendHeartbeat());
  }

  async #sendHeartbeat(): Promise<void> {
    await this.#exchange({}, this.#getReleaseSignal());
    if (!this.#isReleased) this.#stopTimer = this.#schedule();
  }

  #getReleaseSignal(): AbortSignal {
    this.#released ??= new AbortController();
    return this.#released.signal;
  }

  /** One heartbeat; true when it was answered. */
  async #exchange(more: Pick<HeartbeatRequest, 'before_send'>, signal: AbortSignal): Promise<boolean> {
    const { control, clock, epoch, journal } = this.#options;
    const { run_id, fence } = this.lease;
    const sentAt = getClockReading(clock);
    try {
      const sendHeartbeat = (signal: AbortSignal) =>
        control.heartbeat({ epoch, run_id, fence, journal: journal(), ...more }, signal);
      const response = await withTimeout({ clock, timeoutMs: heartbeatTimeoutMs, signal }, sendHeartbeat);
      this.#validUntil = response.lease_ms === 0 ? sentAt : addDuration(sentAt, response.lease_ms);
      if (response.cancel_requested) this.#cancel.abort();
      return true;
    } catch (error) {
      // Any other error means that the control plane is unreachable: the lease continues until it ends by time.
      if (isSessionEndingError(error)) this.#validUntil = sentAt;
      return false;
    }
  }
}

function addDuration({ monotonicMs, wallMs }: ClockReading, durationMs: number): ClockReading {
  return { monotonicMs: monotonicMs + durationMs, wallMs: wallMs + durationMs };
}

export function toRunRequest(lease: Lease, instanceId: string): RunRequest {
  return {
    runId: lease.run_id,
    correlationId: lease.correlation_id,
    instanceId,
    scenarioId: lease.scenario_id,
    revision: lease.revision,
    scenarioText: lease.scenario_text,
    origin: 'queue',
    queuedMs: lease.queued_ms,
    prove: lease.prove,
  };
}
