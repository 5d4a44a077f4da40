/**
 * Counters, gauges and histograms in one registry of their own, told in the text format of Prometheus.
 *
 * Every label takes values from a set that is bounded by the program or by what is registered (routes, results,
 * instances), never from what callers send: an unbounded label is memory that anyone can use up.
 */
import type { Counter as PromCounter, Gauge as PromGauge, Histogram as PromHistogram } from 'prom-client';

/** What is fixed about a metric. `name` ends in its unit (`_seconds`, `_total` for counts); `help` is one sentence. */
export type MetricShape<L extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
};

/** One value for each label. */
export type Labels<L extends string> = Readonly<Record<L, string>>;

/** Only grows while the process lives. */
export type Counter<L extends string> = { add(labels: Labels<L>, by?: number): void };
/** Sorts values into buckets; values in the unit of the name. `start` tells labels with 0 values, before the first. */
export type Histogram<L extends string> = {
  observe(labels: Labels<L>, value: number): void;
  start(labels: Labels<L>): void;
};
/** The value of one combination of labels at the moment of a scrape. */
export type Sample<L extends string> = { readonly labels: Labels<L>; readonly value: number };

/** A process's metrics. */
export type Metrics = {
  counter<L extends string>(shape: MetricShape<L>): Counter<L>;
  /** `buckets`: upper bounds, ascending. */
  histogram<L extends string>(shape: MetricShape<L>, buckets: readonly number[]): Histogram<L>;
  /** `read` is called at each scrape; samples of an earlier scrape are forgotten. */
  gauge<L extends string>(shape: MetricShape<L>, read: () => Promise<readonly Sample<L>[]>): void;
  /** A count that is kept elsewhere, read at each scrape. */
  counted<L extends string>(shape: MetricShape<L>, read: () => readonly Sample<L>[]): void;
  /** `prepare` is awaited before each scrape, before anything is read. */
  before(prepare: () => Promise<void>): void;
  /** Everything, as `contentType` says. Rejects with what a `read` or a `prepare` throws. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** Opens an empty registry; `ofProcess` adds memory, CPU and event loop of this process under their usual names. */
export async function openMetrics(ofProcess = false): Promise<Metrics> {
  // Loaded here: prom-client costs 80 ms at its first import, which commands that serve nothing must not pay.
  const prom = await import('prom-client');
  const registry = new prom.Registry();
  const registers = [registry];
  const preparations: (() => Promise<void>)[] = [];
  if (ofProcess) prom.collectDefaultMetrics({ register: registry });
  const settings = <L extends string>({ name, help, labels }: MetricShape<L>) => ({
    name,
    help,
    labelNames: [...labels],
    registers,
  });
  return {
    counter: (shape) => counterOf(new prom.Counter(settings(shape))),
    histogram: (shape, buckets) => histogramOf(new prom.Histogram({ ...settings(shape), buckets: [...buckets] })),
    gauge(shape, read) {
      const gauge: PromGauge = new prom.Gauge({ ...settings(shape), collect: async () => fill(gauge, await read()) });
    },
    counted(shape, read) {
      const counter: PromCounter = new prom.Counter({ ...settings(shape), collect: () => refill(counter, read()) });
    },
    before: (prepare) => void preparations.push(prepare),
    async text() {
      await Promise.all(preparations.map((prepare) => prepare()));
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

function counterOf<L extends string>(counter: PromCounter<L>): Counter<L> {
  return { add: (labels, by = 1) => counter.inc(labels, by) };
}

function histogramOf<L extends string>(histogram: PromHistogram<L>): Histogram<L> {
  return {
    observe: (labels, value) => histogram.observe(labels, value),
    start: (labels) => histogram.zero(labels),
  };
}

function fill<L extends string>(gauge: PromGauge, samples: readonly Sample<L>[]): void {
  gauge.reset();
  for (const { labels, value } of samples) gauge.set(labels, value);
}

function refill<L extends string>(counter: PromCounter, samples: readonly Sample<L>[]): void {
  counter.reset();
  for (const { labels, value } of samples) counter.inc(labels, value);
}
