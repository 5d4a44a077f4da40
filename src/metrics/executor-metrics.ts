/** Metrics of an executor's runs. */

import { executorMetricDefinitions as definitions } from './metric-definitions.ts';
import type { Counter, Histogram, Metrics } from './metrics.ts';

/** `not_judged`: it failed without a response to judge. */
export type ExecutedResult = 'passed' | 'failed' | 'not_judged' | 'cancelled';

/** A finished run. `textKey` differs when the scenario's text differs. */
export type ExecutedRun = {
  readonly scenarioId: string;
  readonly textKey: string;
  readonly result: ExecutedResult;
  readonly durationMs: number;
};

/** The state of the executor, read at each scrape; no metrics are exposed while the instance is unknown. */
export type ExecutorSource = {
  status(): Promise<{
    readonly instance: string | undefined;
    readonly connected: boolean;
    readonly reportsWaiting: number;
  }>;
  /** As the control plane said last; undefined before its first response. */
  runTotals(): (Readonly<Record<ExecutedResult, number>> & { readonly registered_at_ms: number }) | undefined;
  /** Evidence sources besides the response: log and database. */
  evidenceSources(): readonly EvidenceAvailability[];
  monotonicMs(): number;
};

/** Whether an evidence source could be read at the last attempt. */
export type EvidenceAvailability = { readonly source: 'log' | 'database'; readonly isUp: boolean };

/** Records runs; the instance may become known after the first of them. */
export type ExecutorMetrics = {
  /** Counts busy time until the returned function is called; without a run, nothing else is counted. */
  startRun(): (run?: ExecutedRun) => void;
};

/** Limit of `scenario_id` values; further scenarios are counted as `other`. */
export const maxScenarios = 200;

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const results: readonly ExecutedResult[] = ['passed', 'failed', 'not_judged', 'cancelled'];

/** Everything except scenarios starts at 0, so that the first run is an increase. */
export function createExecutorMetrics(metrics: Metrics, source: ExecutorSource): ExecutorMetrics {
  const record = new RunRecord(metrics, () => source.monotonicMs());
  // The first scrape must already expose zeros.
  metrics.beforeScrape(async () => {
    const { instance } = await source.status();
    if (instance !== undefined) record.named(instance);
  });
  metrics.gauge(definitions.connected, async () => {
    const { instance, connected } = await source.status();
    return instance === undefined ? [] : [{ labels: { instance_id: instance }, value: connected ? 1 : 0 }];
  });
  metrics.gauge(definitions.reportsWaiting, async () => {
    const { instance, reportsWaiting } = await source.status();
    return instance === undefined ? [] : [{ labels: { instance_id: instance }, value: reportsWaiting }];
  });
  metrics.gauge(definitions.evidence, async () => {
    const { instance } = await source.status();
    if (instance === undefined) return [];
    return source.evidenceSources().map(({ source: name, isUp }) => {
      return { labels: { instance_id: instance, source: name }, value: isUp ? 1 : 0 };
    });
  });
  metrics.externalCounter(definitions.instanceRuns, () => {
    const { instance } = record;
    const totals = source.runTotals();
    if (instance === undefined || totals === undefined) return [];
    return results.map((result) => ({ labels: { instance_id: instance, result }, value: totals[result] }));
  });
  metrics.gauge(definitions.instanceRegistered, async () => {
    const { instance } = record;
    const totals = source.runTotals();
    if (instance === undefined || totals === undefined) return [];
    return [{ labels: { instance_id: instance }, value: totals.registered_at_ms / 1000 }];
  });
  metrics.externalCounter(definitions.busy, () => {
    const { instance, busyMs } = record;
    return instance === undefined ? [] : [{ labels: { instance_id: instance }, value: busyMs / 1000 }];
  });
  return { startRun: () => record.startRun() };
}

type LastResult = { readonly textKey: string; readonly result: ExecutedResult };

/** Runs that end before the instance is known are buffered. */
class RunRecord {
  instance: string | undefined;
  readonly #nowMs: () => number;
  readonly #early: ExecutedRun[] = [];
  readonly #inHand = new Set<{ readonly sinceMs: number }>();
  readonly #last = new Map<string, LastResult>();
  readonly #runs: Counter<'instance_id' | 'result'>;
  readonly #duration: Histogram<'instance_id'>;
  readonly #scenarioRuns: Counter<'instance_id' | 'scenario_id' | 'result'>;
  readonly #scenarioSeconds: Counter<'instance_id' | 'scenario_id'>;
  readonly #scenarioFlips: Counter<'instance_id' | 'scenario_id'>;
  #endedMs = 0;

  constructor(metrics: Metrics, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#runs = metrics.counter(definitions.runs);
    this.#duration = metrics.histogram(definitions.duration, buckets);
    this.#scenarioRuns = metrics.counter(definitions.scenarioRuns);
    this.#scenarioSeconds = metrics.counter(definitions.scenarioSeconds);
    this.#scenarioFlips = metrics.counter(definitions.scenarioFlips);
  }

  /** Includes the current runs. */
  get busyMs(): number {
    const nowMs = this.#nowMs();
    return [...this.#inHand].reduce((sum, { sinceMs }) => sum + nowMs - sinceMs, this.#endedMs);
  }

  named(instance: string): void {
    if (this.instance === instance) return;
    this.instance = instance;
    for (const result of results) this.#runs.add({ instance_id: instance, result }, 0);
    this.#duration.initialize({ instance_id: instance });
    for (const run of this.#early.splice(0)) this.#ended(instance, run);
  }

  startRun(): (run?: ExecutedRun) => void {
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

  /** 1 when the result changed although the scenario's text did not. */
  #flips(scenarioId: string, { textKey, result }: ExecutedRun): number {
    const lastResult = this.#last.get(scenarioId);
    if (!lastResult || (result !== 'passed' && result !== 'failed')) return 0;
    this.#last.set(scenarioId, { textKey, result });
    const comparable =
      lastResult.textKey === textKey && (lastResult.result === 'passed' || lastResult.result === 'failed');
    return comparable && lastResult.result !== result ? 1 : 0;
  }
}
