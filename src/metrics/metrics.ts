/**
 * Counters, gauges and histograms in a registry, exposed in the text format of Prometheus.
 *
 * Label values come from a set that is limited by the program or by what is registered (routes, results, instances), never
 * from what callers send: anyone could exhaust memory through an unlimited label.
 */
import type { Counter as PromCounter, Gauge as PromGauge, Histogram as PromHistogram } from 'prom-client';

/** `name` ends in its unit (`_seconds`, `_total` for counts); `help` is one sentence. */
export type MetricDefinition<L extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
};

/** One value for each label. */
export type Labels<L extends string> = Readonly<Record<L, string>>;

export type Counter<L extends string> = { add(labels: Labels<L>, by?: number): void };
/** Values are in the unit of the name. `initialize` exposes labels with zeros before the first value. */
export type Histogram<L extends string> = {
  observe(labels: Labels<L>, value: number): void;
  initialize(labels: Labels<L>): void;
};
/** The value of one combination of labels at a scrape. */
export type Sample<L extends string> = { readonly labels: Labels<L>; readonly value: number };

export type Metrics = {
  counter<L extends string>(definition: MetricDefinition<L>): Counter<L>;
  /** `buckets`: upper bounds, ascending. */
  histogram<L extends string>(definition: MetricDefinition<L>, buckets: readonly number[]): Histogram<L>;
  /** `read` is called at each scrape; samples of earlier scrapes are dropped. */
  gauge<L extends string>(definition: MetricDefinition<L>, read: () => Promise<readonly Sample<L>[]>): void;
  /** A counter whose value is stored elsewhere and read at each scrape. */
  externalCounter<L extends string>(definition: MetricDefinition<L>, read: () => readonly Sample<L>[]): void;
  /** `prepare` is awaited at the start of each scrape. */
  beforeScrape(prepare: () => Promise<void>): void;
  /** All metrics in the format of `contentType`. Rejects with the errors of `read` and `prepare`. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** Opens an empty registry; `includeProcess` adds the default metrics of memory, CPU and event loop. */
export async function openMetrics(includeProcess = false): Promise<Metrics> {
  // Loaded lazily: importing prom-client costs 80 ms, which only serving roles should pay.
  const prom = await import('prom-client');
  const registry = new prom.Registry();
  const registers = [registry];
  const preparations: (() => Promise<void>)[] = [];
  if (includeProcess) prom.collectDefaultMetrics({ register: registry });
  const settings = <L extends string>({ name, help, labels }: MetricDefinition<L>) => ({
    name,
    help,
    labelNames: [...labels],
    registers,
  });
  return {
    counter: (definition) => createCounter(new prom.Counter(settings(definition))),
    histogram: (definition, buckets) =>
      createHistogram((collect) => new prom.Histogram({ ...settings(definition), buckets: [...buckets], collect })),
    gauge(definition, read) {
      const gauge: PromGauge = new prom.Gauge({
        ...settings(definition),
        collect: async () => setGauge(gauge, await read()),
      });
    },
    externalCounter(definition, read) {
      const counter: PromCounter = new prom.Counter({
        ...settings(definition),
        collect: () => setCounter(counter, read()),
      });
    },
    beforeScrape: (prepare) => void preparations.push(prepare),
    async text() {
      await Promise.all(preparations.map((prepare) => prepare()));
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

function createCounter<L extends string>(counter: PromCounter<L>): Counter<L> {
  return { add: (labels, by = 1) => counter.inc(labels, by) };
}

/**
 * Values wait for a scrape, or for each other. prom-client finds a bound by its text, with some thousand instructions for a value: one by
 * one between other work they take 13 µs each, one after another less than 1.
 */
const maxWaitingValues = 128;

/** `create` gets what is to be called before the histogram is read. */
function createHistogram<L extends string>(create: (collect: () => void) => PromHistogram<L>): Histogram<L> {
  let waiting: Sample<L>[] = [];
  const observeWaiting = (): void => {
    const samples = waiting;
    waiting = [];
    for (const { labels, value } of samples) histogram.observe(labels, value);
  };
  const histogram = create(observeWaiting);
  return {
    observe(labels, value) {
      waiting.push({ labels, value });
      if (waiting.length >= maxWaitingValues) observeWaiting();
    },
    initialize(labels) {
      observeWaiting();
      histogram.zero(labels);
    },
  };
}

function setGauge<L extends string>(gauge: PromGauge, samples: readonly Sample<L>[]): void {
  gauge.reset();
  for (const { labels, value } of samples) gauge.set(labels, value);
}

function setCounter<L extends string>(counter: PromCounter, samples: readonly Sample<L>[]): void {
  counter.reset();
  for (const { labels, value } of samples) counter.inc(labels, value);
}
