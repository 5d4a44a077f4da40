/** What must hold in every schedule. A violation is recorded with its time; the simulation ends then. */
import type { Run } from '../../../src/contract/api.ts';
import type { OpenControl } from '../../../src/control/open-control.ts';
import { toVpError } from '../../../src/errors/vp-error.ts';
import type { Report } from '../../../src/report/report.ts';
import { isFinalState } from '../../../src/run/state.ts';
import type { ExecutorStart } from './executor-host.ts';
import type { Scheduler } from './scheduler.ts';
import { StaleJournal } from './stale-journal.ts';
import { StaleStore } from './stale-store.ts';

/** The runs of one request, as its response named them. */
export type AcknowledgedRequest = {
  readonly instance: string;
  readonly key: string;
  readonly runIds: readonly string[];
};

export class Checker {
  readonly violations: string[] = [];
  readonly starts: ExecutorStart[] = [];
  readonly staleStore: StaleStore;
  readonly staleJournal = new StaleJournal();
  readonly #scheduler: Scheduler;
  /** The final state of each run, with the time when it was seen. */
  readonly #ended = new Map<string, string>();
  #acknowledged: AcknowledgedRequest[] = [];
  /** The state of each run as the change feed gave it, to a client that resumes at its last position. */
  readonly #followed = new Map<string, string>();
  #feedPosition = 0;
  #restoredMs = Number.NEGATIVE_INFINITY;
  #storeGeneration = 0;
  /** By run: true when the executor itself reported that the run may have been sent by an earlier start. */
  readonly #acknowledgedReports = new Map<string, boolean>();
  #directRuns: { readonly host: string; readonly correlationId: string }[] = [];

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.staleStore = new StaleStore(scheduler);
  }

  /** The folder of the control plane is copied as it is now. */
  recordCopy(): void {
    const queued = [...this.#followed].filter(([, state]) => state === 'queued').map(([runId]) => runId);
    this.staleStore.recordCopy(new Set(queued));
  }

  get acknowledgedRunIds(): readonly string[] {
    return this.#acknowledged.flatMap(({ runIds }) => runIds);
  }

  /** Also runs whose request was never answered: they are in the store, and must end. */
  haveAllEnded(): boolean {
    const isOpen = (state: string): boolean => state === 'queued' || state === 'in_progress';
    return this.acknowledgedRunIds.every((id) => this.#ended.has(id)) && ![...this.#followed.values()].some(isOpen);
  }

  fail(problem: string): void {
    this.violations.push(problem);
    this.#scheduler.log('VIOLATION', problem);
  }

  /** The response to a request arrived. The same key must name the same runs for ever. */
  recordResponse(request: AcknowledgedRequest): void {
    const earlier = this.#acknowledged.find(({ key }) => key === request.key);
    if (earlier && earlier.runIds.join() !== request.runIds.join())
      this.fail(`the key ${request.key} named ${earlier.runIds.join()} and now ${request.runIds.join()}`);
    if (earlier) return;
    const known = new Set(this.acknowledgedRunIds);
    for (const id of request.runIds) if (known.has(id)) this.fail(`two requests have the run ${id}`);
    this.#acknowledged.push(request);
  }

  /** Grows when the control plane's store goes back: what was sent before, and arrives after it, promises nothing. */
  get storeGeneration(): number {
    return this.#storeGeneration;
  }

  /** After a restore nothing that was promised since the backup holds, except that nothing is sent twice. */
  forgetPromises(): void {
    this.staleJournal.recordOlderControl();
    this.#restoredMs = this.#scheduler.nowMs;
    this.#storeGeneration += 1;
    this.#acknowledged = [];
    this.#acknowledgedReports.clear();
    this.#directRuns = [];
    this.#ended.clear();
    this.#followed.clear();
    this.#feedPosition = 0;
  }

  /** Returns true where the request was sent again in a way that is not covered. */
  recordReceived(executor: string, request: string, count: number): boolean {
    const mayBeQueuedAgain = this.staleStore.recordArrival(request);
    const mayBeCleanedAgain = this.staleJournal.recordArrival(executor, request);
    const mayArrive = mayBeQueuedAgain || mayBeCleanedAgain;
    if (!mayArrive) this.fail(`${request} was sent to the target ${count} times`);
    return mayArrive && count > 1;
  }

  /** The control plane has taken the report of a leased run. Another report of the run has more to say than `executor_lost`. */
  recordReportResponse({ run_id, failure }: Report): void {
    const saysLost = failure?.kind === 'executor_lost' && this.#acknowledgedReports.get(run_id) !== false;
    this.#acknowledgedReports.set(run_id, saysLost);
  }

  /** A direct run has ended, so its report is stored by its executor. */
  recordDirectRun(host: string, correlationId: string): void {
    this.#directRuns.push({ host, correlationId });
  }

  /** The store of this executor is an older copy or a new one: its reports may be gone. */
  forgetDirectRuns(host: string): void {
    this.#directRuns = this.#directRuns.filter((run) => run.host !== host);
  }

  /** Called after each commit of the control plane: the first final state of a run stands. */
  async observe(control: OpenControl): Promise<void> {
    const generation = this.#storeGeneration;
    const { events, seq } = await control.changes.list(this.#feedPosition, undefined, 200);
    // The control plane has crashed meanwhile, and its folder is an older one.
    if (generation !== this.#storeGeneration) return;
    this.#feedPosition = seq;
    for (const event of events) if (event.type === 'run') this.#observeRun(event.run);
  }

  #observeRun({ run_id, state, failure_kind }: Run): void {
    const text = failure_kind ? `${state}, ${failure_kind}` : state;
    const before = this.#ended.get(run_id);
    this.#followed.set(run_id, state);
    this.#scheduler.log('store', `${run_id} ${text}`);
    if (before !== undefined && before !== text) this.fail(`${run_id} was ${before} and is now ${text}`);
    if (isFinalState(state)) this.#ended.set(run_id, text);
  }

  /**
   * An executor may be superseded by one that runs, or ran, at the same time, and by a restore; never by a message of one that
   * ended before.
   */
  recordEnd(start: ExecutorStart): void {
    if (start.endReason !== 'superseded' || start.startMs < this.#restoredMs) return;
    const hasRival = this.starts.some(
      (other) =>
        other !== start &&
        other.instance === start.instance &&
        (other.endMs === undefined || other.endMs > start.startMs),
    );
    if (!hasRival) this.fail(`${start.name} was superseded, although no other executor has run since it started`);
  }

  /** An executor refuses a direct run while it is busy, stopping, or cannot store it. */
  recordDirectRunError(error: unknown): void {
    const { code, detail, message } = toVpError(error);
    const isExpected = ['EXECUTOR_BUSY', 'EXECUTOR_INSTANCE_UNKNOWN', 'SHUTTING_DOWN'].includes(code);
    if (!isExpected && !code.startsWith('STORE_')) this.fail(`a direct run got ${code}: ${detail ?? message}`);
  }

  /**
   * Every acknowledged run, report and direct run is there; what `mustBeFinal` says has ended. `reporting` are the executors
   * that have had the time to hand in everything.
   */
  async checkRuns(
    control: OpenControl,
    mustBeFinal: (run: Run) => boolean,
    reporting: ReadonlySet<string>,
  ): Promise<void> {
    const runs = await listAllRuns(control);
    const ids = new Set(runs.map(({ run_id }) => run_id));
    const correlationIds = runs.map(({ correlation_id }) => correlation_id);
    for (const id of this.acknowledgedRunIds) if (!ids.has(id)) this.fail(`${id} was acknowledged and is lost`);
    for (const run of runs) {
      if (!isFinalState(run.state) && mustBeFinal(run)) this.fail(`${run.run_id} is still ${run.state}`);
      const followed = this.#followed.get(run.run_id) ?? 'unknown';
      if (followed !== run.state) this.fail(`${run.run_id} is ${run.state}, and ${followed} in the change feed`);
    }
    for (const { correlationId } of this.#directRuns.filter(({ host }) => reporting.has(host))) {
      const count = correlationIds.filter((id) => id === correlationId).length;
      if (count !== 1) this.fail(`the direct run ${correlationId} is stored ${count} times`);
    }
    for (const [id, saysLost] of this.#acknowledgedReports)
      if (ids.has(id)) await this.#checkReport(control, id, saysLost);
  }

  /** It is stored as the run's own or as its late one, and not replaced by one that says less. */
  async #checkReport(control: OpenControl, runId: string, saysLost: boolean): Promise<void> {
    const { report, late_report: late } = await control.runs.get(runId);
    const isLost = !saysLost && report?.failure?.kind === 'executor_lost';
    if ((!report || isLost) && !late) this.fail(`the report of ${runId} was acknowledged and is lost`);
  }
}

async function listAllRuns(control: OpenControl): Promise<Run[]> {
  const runs: Run[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await control.runs.list({}, { limit: 200, cursor });
    runs.push(...page.items);
    cursor = page.next_cursor;
  }
  return runs;
}
