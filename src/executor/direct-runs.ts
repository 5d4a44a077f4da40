/** Runs started directly on this executor: only while its slot is idle, and uploaded afterwards. */
import { vpError } from '../errors/vp-error.ts';
import type { Report } from '../report/report.ts';
import { correlationIdOf, runIdOf } from '../run/run-id.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { ParseOptions } from '../scenario/parse.ts';
import { firstError, scenarioTexts } from './scenario-texts.ts';
import type { ExecutorParts } from './session.ts';
import { insistOnStore } from './store-insistence.ts';

/** With more reports waiting than this, no direct runs are started. */
export const outboxLimit = 10_000;

/** What else a direct run needs. */
export type DirectRunOptions = {
  readonly parts: ExecutorParts;
  readonly placeholders: ParseOptions;
  /** As the control plane last said; undefined before it ever did. */
  readonly instance: () => string | undefined;
  /** The run that the lease loop has in hand. */
  readonly leased: () => string | undefined;
  /** Called after a report was put into the outbox. */
  readonly onFinished: () => void;
};

/** The direct runs of one start. */
export class DirectRuns {
  readonly #options: DirectRunOptions;
  readonly #read: ReturnType<typeof scenarioTexts>;
  readonly #active = new Set<Promise<unknown>>();
  #probe: string | undefined;

  constructor(options: DirectRunOptions) {
    this.#options = options;
    this.#read = scenarioTexts(options.placeholders);
  }

  /** True while one is under way. */
  get busy(): boolean {
    return this.#active.size > 0;
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    while (this.#active.size > 0) await Promise.allSettled(this.#active);
  }

  /**
   * Runs `text` and gives its report, which is in the outbox by then. Throws EXECUTOR_SCENARIO_INVALID, EXECUTOR_BUSY,
   * EXECUTOR_OUTBOX_FULL, EXECUTOR_INSTANCE_UNKNOWN, SHUTTING_DOWN.
   */
  run(text: string): Promise<Report> {
    return this.#busyWith(this.#run(text));
  }

  /**
   * Sends the request of `text` now and gives what came of it. It is no run: nothing is stored or handed in, and runs wait
   * for its end. Throws EXECUTOR_SCENARIO_INVALID, EXECUTOR_BUSY, EXECUTOR_INSTANCE_UNKNOWN, SHUTTING_DOWN.
   */
  probe(text: string, signal: AbortSignal): Promise<Report> {
    return this.#busyWith(this.#sendProbe(text, signal));
  }

  #busyWith<T>(work: Promise<T>): Promise<T> {
    this.#active.add(work);
    const over = (): void => void this.#active.delete(work);
    work.then(over, over);
    return work;
  }

  async #sendProbe(text: string, signal: AbortSignal): Promise<Report> {
    const { parts, leased } = this.#options;
    const facts = this.#admitted(text);
    const runId = runIdOf(parts.clock.nowMs());
    const inHand = leased() ?? this.#probe ?? (this.busy ? 'started directly' : undefined);
    if (inHand !== undefined) throw vpError('EXECUTOR_BUSY', { run: inHand });
    this.#probe = runId;
    try {
      const request = { runId, ...facts, correlationId: correlationIdOf(runId, parts.random.token(6)) };
      return await parts.runner.execute({ ...request, origin: 'local' }, { signal });
    } finally {
      this.#probe = undefined;
    }
  }

  async #run(text: string): Promise<Report> {
    const { parts, onFinished } = this.#options;
    const request = await this.#requestOf(text);
    const report = await parts.runner.execute(request);
    await insistOnStore(parts, () => parts.outbox.finish(report, text));
    onFinished();
    return report;
  }

  /** Refuses, or takes the slot. */
  async #requestOf(text: string): Promise<RunRequest> {
    const { parts, leased } = this.#options;
    const facts = this.#admitted(text);
    const run = leased() ?? this.#probe;
    if (run !== undefined) throw vpError('EXECUTOR_BUSY', { run });
    const { waiting } = await parts.outbox.counts();
    if (waiting >= outboxLimit) throw vpError('EXECUTOR_OUTBOX_FULL', { count: waiting });
    const { outcome, runId } = await parts.outbox.startDirect(parts.clock.nowMs());
    if (outcome !== 'started') throw vpError('EXECUTOR_BUSY', { run: runId });
    const correlationId = correlationIdOf(runId, parts.random.token(6));
    return { runId, correlationId, ...facts, origin: 'direct' };
  }

  #admitted(text: string): Omit<RunRequest, 'runId' | 'correlationId' | 'origin'> {
    const { parts, instance } = this.#options;
    if (parts.stopping.aborted) throw vpError('SHUTTING_DOWN', {});
    const scenarioId = this.#scenarioIdOf(text);
    const instanceId = instance();
    if (instanceId === undefined) throw vpError('EXECUTOR_INSTANCE_UNKNOWN', {});
    return { instanceId, scenarioId, scenarioText: text, revision: null, queuedMs: 0 };
  }

  #scenarioIdOf(text: string): string {
    const read = this.#read(text);
    if (read.scenario) return read.scenario.id;
    throw vpError('EXECUTOR_SCENARIO_INVALID', firstError(read), { diagnostics: read.diagnostics });
  }
}
