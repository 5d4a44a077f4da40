/** Runs started directly on this executor: only while its slot is free, and uploaded afterwards. */
import { vpError } from '../../errors/vp-error.ts';
import type { Report } from '../../report/report.ts';
import { formatCorrelationId, formatRunId } from '../../run/run-id.ts';
import type { RunRequest } from '../../run/run-request.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import type { ExecutorContext } from '../executor-context.ts';
import { retryStoreWrite } from '../outbox/retry-store-write.ts';
import { createChainJournal } from './recover-chains.ts';
import { createScenarioCache, findFirstScenarioError } from './scenario-cache.ts';

/** With more waiting reports than this, no direct runs are started. */
const maxWaitingReports = 10_000;

export type DirectRunOptions = {
  readonly context: ExecutorContext;
  readonly placeholders: ParseOptions;
  /** As the control plane last returned it; undefined before the first time. */
  readonly getInstance: () => string | undefined;
  /** The leased run in progress. */
  readonly getLeasedRun: () => string | undefined;
  /** Called after a report was added to the outbox. */
  readonly onFinished: () => void;
  /** Called with a report that could not be added before a stop. */
  readonly onUnstored: (report: Report, scenarioText: string) => void;
};

/** The direct runs of one executor start. */
export class DirectRuns {
  readonly #options: DirectRunOptions;
  readonly #parseScenario: ReturnType<typeof createScenarioCache>;
  readonly #active = new Set<Promise<unknown>>();
  #activeProbe: string | undefined;

  constructor(options: DirectRunOptions) {
    this.#options = options;
    this.#parseScenario = createScenarioCache(options.placeholders);
  }

  /** True while a direct run is in progress. */
  get isBusy(): boolean {
    return this.#active.size > 0;
  }

  /** Resolves when no direct run is in progress. */
  async whenIdle(): Promise<void> {
    while (this.#active.size > 0) await Promise.allSettled(this.#active);
  }

  /**
   * Runs `text` and returns its report, which is in the outbox by then, unless the store could not be written until a stop.
   * Throws EXECUTOR_SCENARIO_INVALID,
   * EXECUTOR_BUSY, EXECUTOR_OUTBOX_FULL, EXECUTOR_INSTANCE_UNKNOWN, SHUTTING_DOWN.
   */
  run(text: string): Promise<Report> {
    return this.#track(this.#run(text));
  }

  /**
   * Sends the request of `text` now and returns the report. This is not a run: nothing is stored or handed in, and runs
   * wait for its end. Throws EXECUTOR_SCENARIO_INVALID, EXECUTOR_BUSY, EXECUTOR_INSTANCE_UNKNOWN, SHUTTING_DOWN.
   */
  probe(text: string, signal: AbortSignal): Promise<Report> {
    return this.#track(this.#sendProbe(text, signal));
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#active.add(work);
    const untrack = (): void => void this.#active.delete(work);
    work.then(untrack, untrack);
    return work;
  }

  async #sendProbe(text: string, signal: AbortSignal): Promise<Report> {
    const { context, getLeasedRun } = this.#options;
    const runFacts = this.#prepareRun(text);
    const runId = formatRunId(context.clock.nowMs());
    const activeRun = getLeasedRun() ?? this.#activeProbe ?? (this.isBusy ? 'started directly' : undefined);
    if (activeRun !== undefined) throw vpError('EXECUTOR_BUSY', { run: activeRun });
    this.#activeProbe = runId;
    try {
      const request = { runId, ...runFacts, correlationId: formatCorrelationId(runId, context.random.token(6)) };
      return await context.runner.execute({ ...request, origin: 'local' }, { signal });
    } finally {
      this.#activeProbe = undefined;
    }
  }

  async #run(text: string): Promise<Report> {
    const { context, onFinished, onUnstored } = this.#options;
    const request = await this.#createRequest(text);
    const report = await context.runner.execute(request, { journal: createChainJournal(context, 'direct', request) });
    const isStored = await retryStoreWrite(context, () => context.outbox.finish(report, text));
    if (isStored) onFinished();
    else onUnstored(report, text);
    return report;
  }

  /** Throws, or takes the slot. */
  async #createRequest(text: string): Promise<RunRequest> {
    const { context, getLeasedRun } = this.#options;
    const runFacts = this.#prepareRun(text);
    const run = getLeasedRun() ?? this.#activeProbe;
    if (run !== undefined) throw vpError('EXECUTOR_BUSY', { run });
    const { waiting } = await context.outbox.counts();
    if (waiting >= maxWaitingReports) throw vpError('EXECUTOR_OUTBOX_FULL', { count: waiting });
    const { outcome, runId } = await context.outbox.startDirect(context.clock.nowMs());
    if (outcome !== 'started') throw vpError('EXECUTOR_BUSY', { run: runId });
    const correlationId = formatCorrelationId(runId, context.random.token(6));
    return { runId, correlationId, ...runFacts, origin: 'direct' };
  }

  #prepareRun(text: string): Omit<RunRequest, 'runId' | 'correlationId' | 'origin'> {
    const { context, getInstance } = this.#options;
    if (context.stopping.aborted) throw vpError('SHUTTING_DOWN', {});
    const scenarioId = this.#readScenarioId(text);
    const instanceId = getInstance();
    if (instanceId === undefined) throw vpError('EXECUTOR_INSTANCE_UNKNOWN', {});
    return { instanceId, scenarioId, scenarioText: text, revision: null, queuedMs: 0 };
  }

  #readScenarioId(text: string): string {
    const parsed = this.#parseScenario(text);
    if (parsed.scenario) return parsed.scenario.id;
    throw vpError('EXECUTOR_SCENARIO_INVALID', findFirstScenarioError(parsed), { diagnostics: parsed.diagnostics });
  }
}
