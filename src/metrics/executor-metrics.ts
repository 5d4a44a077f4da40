/** What an executor counts of its runs. */

import type { Counter, Histogram, Metrics } from './metrics.ts';
import { executorShapes as shapes } from './shapes.ts';

/** `not_judged`: it failed without an answer to judge. */
export type ExecutedResult = 'passed' | 'failed' | 'not_judged' | 'cancelled';

/** A run that ended. `textKey` differs where the scenario's text does. */
export type ExecutedRun = {
  readonly scenarioId: string;
  readonly textKey: string;
  readonly result: ExecutedResult;
  readonly durationMs: number;
};

/** How the executor is, asked at each scrape; nothing is told while the instance is not known. */
export type ExecutorSource = {
  status(): Promise<{
    readonly instance: string | undefined;
    readonly connected: boolean;
    readonly reportsWaiting: number;
  }>;
  /** What else than the answer tells of the target. */
  witnesses(): readonly WitnessState[];
  monotonicMs(): number;
};

/** Whether a witness could be read when it was last looked at. */
export type WitnessState = { readonly source: 'log' | 'database'; readonly isUp: boolean };

/** Told of runs. `instance` may be known later than the first of them. */
export type ExecutorMetrics = {
  /** A run is in hand from now until the returned function is called; with no run, it counts as busy time only. */
  begin(): (run?: ExecutedRun) => void;
};

/** Scenarios told by name; those that come later are told together as `other`. */
export const maxScenarios = 200;

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const results: readonly ExecutedResult[] = ['passed', 'failed', 'not_judged', 'cancelled'];

/** Registers them. Everything but scenarios begins at 0, so that the first run is seen as an increase. */
export function executorMetrics(metrics: Metrics, source: ExecutorSource): ExecutorMetrics {
  const record = new RunRecord(metrics, () => source.monotonicMs());
  // What is told first of all must be 0 already.
  metrics.before(async () => {
    const { instance } = await source.status();
    if (instance !== undefined) record.named(instance);
  });
  metrics.gauge(shapes.connected, async () => {
    const { instance, connected } = await source.status();
    return instance === undefined ? [] : [{ labels: { instance_id: instance }, value: connected ? 1 : 0 }];
  });
  metrics.gauge(shapes.reportsWaiting, async () => {
    const { instance, reportsWaiting } = await source.status();
    return instance === undefined ? [] : [{ labels: { instance_id: instance }, value: reportsWaiting }];
  });
  metrics.gauge(shapes.evidence, async () => {
    const { instance } = await source.status();
    if (instance === undefined) return [];
    return source.witnesses().map(({ source: name, isUp }) => {
      return { labels: { instance_id: instance, source: name }, value: isUp ? 1 : 0 };
    });
  });
  metrics.counted(shapes.busy, () => {
    const { instance, busyMs } = record;
    return instance === undefined ? [] : [{ labels: { instance_id: instance }, value: busyMs / 1000 }];
  });
  return { begin: () => record.begin() };
}

type Last = { readonly textKey: string; readonly result: ExecutedResult };

/** Counts; runs that end before the instance is known are kept until it is. */
class RunRecord {
  instance: string | undefined;
  readonly #nowMs: () => number;
  readonly #early: ExecutedRun[] = [];
  readonly #inHand = new Set<{ readonly sinceMs: number }>();
  readonly #last = new Map<string, Last>();
  readonly #runs: Counter<'instance_id' | 'result'>;
  readonly #duration: Histogram<'instance_id'>;
  readonly #scenarioRuns: Counter<'instance_id' | 'scenario_id' | 'result'>;
  readonly #scenarioSeconds: Counter<'instance_id' | 'scenario_id'>;
  readonly #scenarioFlips: Counter<'instance_id' | 'scenario_id'>;
  #endedMs = 0;

  constructor(metrics: Metrics, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#runs = metrics.counter(shapes.runs);
    this.#duration = metrics.histogram(shapes.duration, buckets);
    this.#scenarioRuns = metrics.counter(shapes.scenarioRuns);
    this.#scenarioSeconds = metrics.counter(shapes.scenarioSeconds);
    this.#scenarioFlips = metrics.counter(shapes.scenarioFlips);
  }

  /** With what is in hand. */
  get busyMs(): number {
    const nowMs = this.#nowMs();
    return [...this.#inHand].reduce((sum, { sinceMs }) => sum + nowMs - sinceMs, this.#endedMs);
  }

  named(instance: string): void {
    if (this.instance === instance) return;
    this.instance = instance;
    for (const result of results) this.#runs.add({ instance_id: instance, result }, 0);
    this.#duration.start({ instance_id: instance });
    for (const run of this.#early.splice(0)) this.#ended(instance, run);
  }

  begin(): (run?: ExecutedRun) => void {
    const span = { sinceMs: this.#nowMs() };
    this.#inHand.add(span);
    return (run) => {
      if (!this.#inHand.delete(span)) return;
      this.#endedMs += this.#nowMs() - span.sinceMs;
      if (run && this.instance !== undefined) this.#ended(this.instance, run);
      else if (run && this.#early.length < maxScenarios) this.#early.push(run);
    };
  }

  #ended(instance_id: string, run: ExecutedRun): void {
    const { result, durationMs } = run;
    const scenario_id = this.#nameOf(run.scenarioId);
    this.#runs.add({ instance_id, result });
    this.#scenarioRuns.add({ instance_id, scenario_id, result });
    if (result === 'cancelled') return;
    this.#duration.observe({ instance_id }, durationMs / 1000);
    this.#scenarioSeconds.add({ instance_id, scenario_id }, durationMs / 1000);
    this.#scenarioFlips.add({ instance_id, scenario_id }, this.#flips(scenario_id, run));
  }

  #nameOf(scenarioId: string): string {
    const isKnown = this.#last.has(scenarioId);
    if (!isKnown && this.#last.size >= maxScenarios) return 'other';
    if (!isKnown) this.#last.set(scenarioId, { textKey: '', result: 'cancelled' });
    return scenarioId;
  }

  /** 1 where the result turned round though nothing about the scenario changed. */
  #flips(scenarioId: string, { textKey, result }: ExecutedRun): number {
    const last = this.#last.get(scenarioId);
    if (!last || (result !== 'passed' && result !== 'failed')) return 0;
    this.#last.set(scenarioId, { textKey, result });
    const comparable = last.textKey === textKey && (last.result === 'passed' || last.result === 'failed');
    return comparable && last.result !== result ? 1 : 0;
  }
}
