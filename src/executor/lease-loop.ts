/**
 * Takes runs from the control plane, one after another.
 *
 *     leftovers ──all handed in──► polling ──lease──► holding ──slot taken, committed──► started
 *                                    ▲  ▲               │                                   │ report committed
 *                                    │  └──given back───┘                                   ▼
 *                                    └────────no lease────────────────────────────── handing in ──lease──► holding
 *
 * leftovers   reports that an earlier start could not hand in
 * polling     a long poll is open; repeated with growing pauses while the control plane is away
 * holding     a lease, nothing sent; heartbeats. Given back when it ended, or on stop. Waits here while a direct run has the
 *             slot, and while the store cannot note the start. Cancelled here, a run is handed in without a start
 * started     committed in the slot before the first byte leaves; never given back, never sent twice. The first byte leaves
 *             only while the lease is valid; losing the lease later changes nothing: the report is handed in, and kept by
 *             the control plane as late
 * handing in  the report is committed in the outbox; sent until it is acknowledged, also by the next start. The answer may
 *             bring the next lease, and then the acknowledgement shares the commit of the next start: two commits a run
 *
 * A poll or an answer that is lost costs nothing: the same lease is offered again to the same epoch. EXECUTOR_SUPERSEDED ends
 * the loop in any state; what is in the outbox waits for the start that took over, or for the next one.
 */
import type { Lease } from '../contract/executor-api.ts';
import { VpError } from '../errors/vp-error.ts';
import type { Report } from '../report/report.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { DirectRuns } from './direct-runs.ts';
import { faultOf } from './fault.ts';
import { Hold, type Moment, momentOf } from './hold.ts';
import { type ExecutorParts, refusesReport, type Session, uploadLimitMs } from './session.ts';
import { insistOnStore, troublePauseMs } from './store-insistence.ts';
import { parseStoredReport } from './stored-report.ts';
import { takeSlot } from './take-slot.ts';
import { within } from './within.ts';

/** A poll waits this long for work; an attempt may take the slack longer. */
const pollWaitMs = 25_000;
const pollSlackMs = 15_000;
/** For calls that are answered at once. */
const callLimitMs = 10_000;

/** A lease and when it was asked for. */
type Offered = { readonly lease: Lease; readonly sentAt: Moment };

/** The loop of one start. */
export class LeaseLoop {
  readonly #parts: ExecutorParts;
  readonly #session: Session;
  readonly #direct: DirectRuns;
  #acknowledged: string | undefined;
  /** True while the control plane may have given a lease that has not arrived here. */
  #mayBeOwed = false;
  #inHand: { readonly runId: string; readonly over: PromiseWithResolvers<void> } | undefined;

  constructor(parts: ExecutorParts, session: Session, direct: DirectRuns) {
    this.#parts = parts;
    this.#session = session;
    this.#direct = direct;
  }

  /** The leased run that is held or executed. */
  get inHand(): string | undefined {
    return this.#inHand?.runId;
  }

  /** Resolves when no run is held or executed, which may be now. */
  async idle(): Promise<void> {
    while (this.#inHand) await this.#inHand.over.promise;
  }

  /** Resolves after a stop. Throws EXECUTOR_SUPERSEDED, and the reason of `cut`. */
  async run(): Promise<void> {
    const { stopping } = this.#parts;
    await this.#handInLeftovers();
    let offered: Offered | undefined;
    while (!stopping.aborted) offered = offered ? await this.#carry(offered) : await this.#poll();
    await this.#settle();
    await this.#leaveNothing(offered);
  }

  async #handInLeftovers(): Promise<void> {
    const { outbox, stopping } = this.#parts;
    for (let row = await outbox.oldest('queue'); row && !stopping.aborted; row = await outbox.oldest('queue')) {
      const report = parseStoredReport(row.report);
      if (report && row.fence !== null) await this.#handIn(report, row.fence, false);
      else await outbox.setApart({ origin: 'queue', runId: row.run_id }, 'the stored report cannot be read');
      await this.#settle();
    }
  }

  /** Undefined when there is no work, or after a stop. */
  async #poll(): Promise<Offered | undefined> {
    const { control, insistence, stopping, clock } = this.#parts;
    await this.#settle();
    const message = { epoch: this.#session.epoch, in_hand: null, wait_ms: pollWaitMs };
    const startedMs = clock.monotonicMs();
    try {
      const offered = await insistence.call({ limitMs: pollWaitMs + pollSlackMs, signal: stopping }, async (signal) => {
        const sentAt = momentOf(clock);
        this.#mayBeOwed = true;
        const { lease } = await control.poll(message, signal);
        return lease ? { lease, sentAt } : undefined;
      });
      this.#mayBeOwed = false;
      // Something between here and there does not let polls wait.
      if (!offered && clock.monotonicMs() - startedMs < troublePauseMs) return await this.#pause();
      return offered;
    } catch (error) {
      if (stopping.aborted) return undefined;
      throw error;
    }
  }

  /** Carries a run to its end; gives what the control plane offered next. */
  async #carry({ lease, sentAt }: Offered): Promise<Offered | undefined> {
    const { control, clock, outbox, runner } = this.#parts;
    const { epoch, heartbeat_ms: heartbeatMs } = this.#session;
    const hold = new Hold(lease, { control, clock, epoch, heartbeatMs, sentAt });
    this.#inHand = { runId: lease.run_id, over: Promise.withResolvers() };
    const letGo = (): void => {
      hold.release();
      this.#inHand?.over.resolve();
      this.#inHand = undefined;
    };
    try {
      const slot = await takeSlot(this.#parts, hold, this.#direct, this.#acknowledged);
      if (slot === 'started' || slot === 'known') this.#acknowledged = undefined;
      if (slot === 'unfit') {
        await this.#giveBack(lease);
        return await this.#pause();
      }
      if (slot === 'known') return await this.#answerAgain(lease);
      const refusal = () => (hold.valid ? undefined : faultOf('EXECUTOR_LEASE_ENDED', {}));
      const report = await runner.execute(this.#requestOf(lease), { signal: hold.cancelled, refusal });
      if (slot === 'started') await insistOnStore(this.#parts, () => outbox.finish(report, null));
      letGo();
      return await this.#handIn(report, lease.fence, true);
    } finally {
      letGo();
    }
  }

  /** One attempt: a lease that cannot be given back is offered again, or ends. */
  async #giveBack({ run_id, fence }: Lease): Promise<void> {
    const { control, clock, cut, log } = this.#parts;
    const message = { epoch: this.#session.epoch, run_id, fence };
    await within(clock, callLimitMs, cut, (signal) => control.giveBack(message, signal)).catch((error: unknown) => {
      log.warn({ run: run_id, problem: String(error) }, 'the run could not be given back');
    });
  }

  /**
   * The control plane offers a run that was started before: it gets the report there is, and nothing is sent twice. A
   * restored control plane may give an id once more; the report of another run by that id is not handed in.
   */
  async #answerAgain(lease: Lease): Promise<Offered | undefined> {
    const { outbox, runner, log } = this.#parts;
    log.warn({ run: lease.run_id }, 'a run was offered that had been started before; it is not sent again');
    const kept = await outbox.waiting(lease.run_id);
    const stored = kept && parseStoredReport(kept.report);
    const report = stored?.correlation_id === lease.correlation_id ? stored : undefined;
    return this.#handIn(
      report ?? runner.refuse(this.#requestOf(lease), faultOf('EXECUTOR_RUN_FORGOTTEN', {})),
      lease.fence,
      true,
    );
  }

  /** Sends the report until it is acknowledged or refused. `more`: the answer may bring the next lease. */
  async #handIn(report: Report, fence: number, more: boolean): Promise<Offered | undefined> {
    const { control, insistence, cut, stopping, clock, outbox, log } = this.#parts;
    const { epoch } = this.#session;
    const run_id = report.run_id;
    try {
      const trying = { limitMs: uploadLimitMs, signal: cut, isFinal: refusesReport };
      const { wanted, offered } = await insistence.call(trying, async (signal) => {
        const sentAt = momentOf(clock);
        const wanted = more && !stopping.aborted && !this.#direct.busy;
        if (wanted) this.#mayBeOwed = true;
        const { lease } = await control.complete({ epoch, run_id, fence, more: wanted, report }, signal);
        return { wanted, offered: lease ? { lease, sentAt } : undefined };
      });
      if (wanted) this.#mayBeOwed = false;
      this.#acknowledged = run_id;
      return offered;
    } catch (error) {
      if (!(error instanceof VpError) || !refusesReport(error)) throw error;
      log.warn({ run: run_id, problem: error.message }, 'the control plane refuses a report; it is kept aside');
      await insistOnStore(this.#parts, () =>
        outbox.setApart({ origin: 'queue', runId: run_id }, `${error.code}: ${error.message}`),
      );
      return undefined;
    }
  }

  /** Notes the acknowledgement that no start has taken along. */
  async #settle(): Promise<void> {
    const runId = this.#acknowledged;
    if (runId === undefined) return;
    await insistOnStore(this.#parts, () => this.#parts.outbox.acknowledge({ origin: 'queue', runId }));
    this.#acknowledged = undefined;
  }

  /** After a stop: a lease whose answer was lost would only end by time, as that of a lost executor. */
  async #leaveNothing(offered: Offered | undefined): Promise<void> {
    const { control, clock, cut } = this.#parts;
    if (offered) return this.#giveBack(offered.lease);
    if (!this.#mayBeOwed) return;
    const last = { epoch: this.#session.epoch, in_hand: null, wait_ms: 0 };
    const answer = await within(clock, callLimitMs, cut, (signal) => control.poll(last, signal)).catch(() => undefined);
    if (answer?.lease) await this.#giveBack(answer.lease);
  }

  #requestOf(lease: Lease): RunRequest {
    return {
      runId: lease.run_id,
      correlationId: lease.correlation_id,
      instanceId: this.#session.instance,
      scenarioId: lease.scenario_id,
      revision: lease.revision,
      scenarioText: lease.scenario_text,
      origin: 'queue',
      queuedMs: lease.queued_ms,
      prove: lease.prove,
    };
  }

  async #pause(): Promise<undefined> {
    await this.#parts.clock.sleep(troublePauseMs, this.#parts.stopping).catch(() => {});
    return undefined;
  }
}
