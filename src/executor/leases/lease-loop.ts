/**
 * Takes runs from the control plane, one after another.
 *
 *     leftovers ──all handed in──► polling ──lease──► holding ──announced, committed───► started
 *                                    ▲  ▲               │                                   │ report committed
 *                                    │  └──given back───┘                                   ▼
 *                                    └────────no lease────────────────────────────── handing in ──lease──► holding
 *
 * leftovers   reports that an earlier start could not hand in
 * polling     a long poll is open; repeated with growing pauses while the control plane is away. The acknowledgement of the last
 *             report is committed meanwhile
 * holding     a lease, nothing sent; heartbeats. Given back when it ended, or on stop. Waits here while a direct run has the
 *             slot, the announcement is not acknowledged or the store cannot note the start. Cancelled here, a run is handed
 *             in without a start
 * started     committed in the slot before the first byte leaves; never given back, never sent twice. The first byte leaves
 *             only while the lease is valid; losing the lease later changes nothing: the report is handed in, and kept by
 *             the control plane as late
 * handing in  the report is committed in the outbox; sent until it is acknowledged, also by the next start. The answer may bring the next
 *             lease, which counts as announced; its start commits the acknowledgement. A control plane in this process commits
 *             the report first, and the outbox when that fails: only a kill before both loses it
 * A poll or an answer that is lost costs nothing: the same lease is offered again to the same epoch. EXECUTOR_SUPERSEDED ends
 * the loop in any state; what is in the outbox waits for the start that took over, or for the next one. CONTROL_STORE_STALE
 * ends it too, and the executor greets again.
 *
 * Length: the states above, one method each.
 */
import { executorFeatures, type JournalPosition, type Lease, type PollRequest } from '../../contract/executor-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { Report } from '../../report/report.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import { withTimeout } from '../../timing/timeout.ts';
import { createFailure } from '../execution-failure.ts';
import { type ExecutorContext, type ExecutorSession, isReportRefused, uploadTimeoutMs } from '../executor-context.ts';
import { parseStoredReport } from '../outbox/outbox.ts';
import { retryPauseMs, retryStoreWrite } from '../outbox/retry-store-write.ts';
import type { DirectRuns } from '../runs/direct-runs.ts';
import { createChainJournal } from '../runs/recover-chains.ts';
import { ActiveLease, type ClockReading, getClockReading, toRunRequest } from './active-lease.ts';
import { requestsWritten, takeSlot } from './take-slot.ts';

/** A poll waits this long for work; an attempt may take `pollExtraMs` longer. */
const pollWaitMs = 25_000;
const pollExtraMs = 15_000;
/** For calls that are answered at once. */
const callTimeoutMs = 10_000;

/** A lease, when it was requested, and whether it counts as sent already. */
type OfferedLease = { readonly lease: Lease; readonly sentAt: ClockReading; readonly isAnnounced: boolean };

/** The control plane has the report of this run. `requested`: it was asked for the next lease. */
type ReportAcceptance = {
  readonly runId: string;
  readonly requested: boolean;
  readonly nextLease: OfferedLease | undefined;
};

/** The lease loop of one executor start. */
export class LeaseLoop {
  readonly #context: ExecutorContext;
  readonly #session: ExecutorSession;
  readonly #directRuns: DirectRuns;
  #acknowledged: string | undefined;
  /** The one that the store could not note while a poll waited. */
  #failedAcknowledgement: string | undefined;
  #calls = 0;
  #returnedFence: number | undefined;
  /** True while the control plane may have granted a lease that has not arrived here. */
  #mayHaveOpenLease = false;
  #activeRun: { readonly runId: string; readonly finished: PromiseWithResolvers<void> } | undefined;

  constructor(context: ExecutorContext, session: ExecutorSession, directRuns: DirectRuns) {
    this.#context = context;
    this.#session = session;
    this.#directRuns = directRuns;
  }

  /** The leased run that is held or executed. */
  get activeRun(): string | undefined {
    return this.#activeRun?.runId;
  }

  /** Resolves when no run is held or executed, which may be at once. */
  async idle(): Promise<void> {
    while (this.#activeRun) await this.#activeRun.finished.promise;
  }

  /** Resolves after a stop. Throws EXECUTOR_SUPERSEDED, and the reason of `hardStop`. */
  async run(): Promise<void> {
    const { stopping } = this.#context;
    await this.#handInLeftovers();
    let nextLease: OfferedLease | undefined;
    while (!stopping.aborted) nextLease = nextLease ? await this.#executeLease(nextLease) : await this.#poll();
    await this.#acknowledgePending();
    await this.#giveBackOpenLease(nextLease);
  }

  async #handInLeftovers(): Promise<void> {
    const { outbox, stopping } = this.#context;
    for (let row = await outbox.oldest('queue'); row && !stopping.aborted; row = await outbox.oldest('queue')) {
      const report = parseStoredReport(row.report);
      if (report && row.fence !== null) await this.#handIn(report, row.fence, false);
      else await outbox.quarantine({ origin: 'queue', runId: row.run_id }, 'the stored report cannot be read');
      await this.#acknowledgePending();
    }
  }

  /** Undefined when there is no work, or after a stop. */
  async #poll(): Promise<OfferedLease | undefined> {
    const { control, controlCaller, outbox, stopping, clock } = this.#context;
    if (this.#acknowledged === this.#failedAcknowledgement) await this.#acknowledgePending();
    const startedMs = clock.monotonicMs();
    try {
      const polling = controlCaller.call({ timeoutMs: pollWaitMs + pollExtraMs, signal: stopping }, async (signal) => {
        const sentAt = getClockReading(clock);
        this.#mayHaveOpenLease = true;
        const { lease, run_totals: totals } = await control.poll(this.#buildPoll(pollWaitMs), signal);
        outbox.observeRunTotals(totals);
        return lease ? { lease, sentAt, isAnnounced: false } : undefined;
      });
      const acknowledging = this.#acknowledgeDuringPoll();
      const nextLease = await polling.finally(() => acknowledging);
      this.#mayHaveOpenLease = false;
      // A proxy in between does not let polls wait.
      if (!nextLease && clock.monotonicMs() - startedMs < retryPauseMs) return await this.#pause();
      return nextLease;
    } catch (error) {
      if (stopping.aborted) return undefined;
      throw error;
    }
  }

  /** Executes a leased run to its end; returns the next lease that the control plane offered. */
  async #executeLease({ lease, sentAt, isAnnounced }: OfferedLease): Promise<OfferedLease | undefined> {
    const { control, clock, outbox, runner } = this.#context;
    const { epoch, heartbeat_ms: heartbeatMs } = this.#session;
    // Giving it back may still be on its way: once started, the run would be returned to the queue as well.
    if (lease.fence === this.#returnedFence) {
      await this.#giveBack(lease);
      return this.#pause();
    }
    const activeLease = new ActiveLease(lease, {
      ...{ control, clock, epoch, heartbeatMs, sentAt, isAnnounced },
      journal: () => outbox.position(),
    });
    this.#activeRun = { runId: lease.run_id, finished: Promise.withResolvers() };
    const release = (): void => {
      activeLease.release();
      this.#activeRun?.finished.resolve();
      this.#activeRun = undefined;
    };
    try {
      const slot = await takeSlot(this.#context, activeLease, this.#directRuns, this.#acknowledged);
      if (slot === 'started' || slot === 'known') this.#acknowledged = undefined;
      if (slot === 'unfit') {
        await this.#giveBack(lease);
        return await this.#pause();
      }
      if (slot === 'known') return await this.#reportKnownRun(lease);
      // No start commits the acknowledgement of the run before, and this run's takes its place.
      if (slot === 'cancelled') await this.#acknowledgePending();
      const beforeSend = () => (activeLease.isValid ? undefined : createFailure('EXECUTOR_LEASE_ENDED', {}));
      const request = toRunRequest(lease, this.#session.instance);
      const journal = slot === 'started' ? createChainJournal(this.#context, 'queue', request) : undefined;
      const report = await runner.execute(request, { signal: activeLease.cancelSignal, beforeSend, journal });
      const acceptance = slot === 'started' ? await this.#handInFirst(report, lease.fence) : undefined;
      if (acceptance) return acceptance.nextLease;
      if (slot === 'started') await retryStoreWrite(this.#context, () => outbox.finish(report, null));
      release();
      return await this.#handIn(report, lease.fence, true);
    } finally {
      release();
    }
  }

  /** One attempt: a lease that cannot be given back is offered again, or ends. */
  async #giveBack({ run_id, fence }: Lease): Promise<void> {
    const { control, clock, hardStop, log } = this.#context;
    const message = { epoch: this.#session.epoch, run_id, fence };
    this.#returnedFence = fence;
    await withTimeout({ clock, timeoutMs: callTimeoutMs, signal: hardStop }, (signal) =>
      control.giveBack(message, signal),
    ).catch((error: unknown) => {
      log.warn({ run: run_id, problem: String(error) }, 'the run could not be given back');
    });
  }

  /**
   * The control plane offers a run that was started before: it gets the stored report, and nothing is sent twice. A
   * restored control plane may issue an id again; the report of another run with that id is not handed in.
   */
  async #reportKnownRun(lease: Lease): Promise<OfferedLease | undefined> {
    const { outbox, runner, log } = this.#context;
    log.warn({ run: lease.run_id }, 'a run was offered that had been started before; it is not sent again');
    const waitingReport = await outbox.waiting(lease.run_id);
    const stored = waitingReport && parseStoredReport(waitingReport.report);
    const report = stored?.correlation_id === lease.correlation_id ? stored : undefined;
    return this.#handIn(
      report ?? runner.refuse(toRunRequest(lease, this.#session.instance), createFailure('EXECUTOR_RUN_FORGOTTEN', {})),
      lease.fence,
      true,
    );
  }

  /**
   * One attempt to hand in a report that is not in the outbox, where the control plane is in this process. Undefined when it was not
   * taken: it is stored then. What a run of several requests noted must leave the outbox with its report.
   */
  async #handInFirst(report: Report, fence: number): Promise<ReportAcceptance | undefined> {
    const { isControlInProcess, outbox, clock, hardStop, log } = this.#context;
    if (!isControlInProcess || outbox.hasChain(report.run_id)) return undefined;
    try {
      const options = { clock, timeoutMs: uploadTimeoutMs, signal: hardStop };
      const acceptance = await withTimeout(options, (signal) => this.#sendReport(report, fence, true, signal));
      outbox.noteHandedIn(report.run_id);
      return this.#noteAcceptance(acceptance);
    } catch (error) {
      log.warn({ run: report.run_id, problem: String(error) }, 'a report was not taken at once; it is handed in again');
      return undefined;
    }
  }

  /** Sends the report until it is acknowledged or refused. `requestsMore`: the response may bring the next lease. */
  async #handIn(report: Report, fence: number, requestsMore: boolean): Promise<OfferedLease | undefined> {
    const { controlCaller, hardStop, outbox, log } = this.#context;
    const run_id = report.run_id;
    try {
      const callOptions = { timeoutMs: uploadTimeoutMs, signal: hardStop, isFinal: isReportRefused };
      const acceptance = await controlCaller.call(callOptions, (signal) =>
        this.#sendReport(report, fence, requestsMore, signal),
      );
      return this.#noteAcceptance(acceptance).nextLease;
    } catch (error) {
      if (!(error instanceof VpError) || !isReportRefused(error)) throw error;
      log.warn({ run: run_id, problem: error.message }, 'the control plane refused a report; it was set aside');
      await retryStoreWrite(this.#context, () =>
        outbox.quarantine({ origin: 'queue', runId: run_id }, `${error.code}: ${error.message}`),
      );
      return undefined;
    }
  }

  async #sendReport(
    report: Report,
    fence: number,
    requestsMore: boolean,
    signal: AbortSignal | undefined,
  ): Promise<ReportAcceptance> {
    const { control, stopping, clock, outbox } = this.#context;
    const { run_id } = report;
    const sentAt = getClockReading(clock);
    const requested = requestsMore && !stopping.aborted && !this.#directRuns.isBusy;
    if (requested) this.#mayHaveOpenLease = true;
    const message = {
      epoch: this.#session.epoch,
      run_id,
      fence,
      more: requested,
      report,
      features: executorFeatures,
      ...this.#nextCall(),
    };
    const { lease, run_totals: totals } = await control.complete(message, signal);
    outbox.observeRunTotals(totals);
    return { runId: run_id, requested, nextLease: lease ? { lease, sentAt, isAnnounced: true } : undefined };
  }

  /** Not within an attempt: one that was given up may be answered when the next run has begun. */
  #noteAcceptance(acceptance: ReportAcceptance): ReportAcceptance {
    if (acceptance.requested) this.#mayHaveOpenLease = false;
    this.#acknowledged = acceptance.runId;
    return acceptance;
  }

  /** Stores the acknowledgement that no start has committed yet. */
  async #acknowledgePending(): Promise<void> {
    const runId = this.#acknowledged;
    if (runId === undefined) return;
    await retryStoreWrite(this.#context, () => this.#context.outbox.acknowledge({ origin: 'queue', runId }));
    this.#acknowledged = undefined;
  }

  /** One attempt while a poll waits, which so reaches the control plane before the commit. */
  async #acknowledgeDuringPoll(): Promise<void> {
    const runId = this.#acknowledged;
    if (runId === undefined) return;
    await requestsWritten();
    try {
      await this.#context.outbox.acknowledge({ origin: 'queue', runId });
      this.#acknowledged = undefined;
    } catch (error) {
      this.#failedAcknowledgement = runId;
      const message = 'the store cannot note that a report was taken; it is tried again with the next run or poll';
      this.#context.log.warn({ run: runId, problem: String(error) }, message);
    }
  }

  /** After a stop: a lease whose response was lost would otherwise end only by time, like that of a lost executor. */
  async #giveBackOpenLease(nextLease: OfferedLease | undefined): Promise<void> {
    const { control, clock, hardStop } = this.#context;
    if (nextLease) return this.#giveBack(nextLease.lease);
    if (!this.#mayHaveOpenLease) return;
    const response = await withTimeout({ clock, timeoutMs: callTimeoutMs, signal: hardStop }, (signal) =>
      control.poll(this.#buildPoll(0), signal),
    ).catch(() => undefined);
    if (response?.lease) await this.#giveBack(response.lease);
  }

  #buildPoll(waitMs: number): PollRequest {
    return {
      epoch: this.#session.epoch,
      in_hand: null,
      wait_ms: waitMs,
      announces_send: true,
      features: executorFeatures,
      ...this.#nextCall(),
    };
  }

  /** Each attempt has its own number, so that one that arrives late takes no run. */
  #nextCall(): { readonly call: number; readonly journal: JournalPosition } {
    this.#calls += 1;
    return { call: this.#calls, journal: this.#context.outbox.position() };
  }

  async #pause(): Promise<undefined> {
    await pauseUntilAborted(this.#context.clock, retryPauseMs, this.#context.stopping);
    return undefined;
  }
}
