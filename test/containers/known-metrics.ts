/** Metrics of an hour and a half with known query results, as text for `promtool tsdb create-blocks-from openmetrics`. */

const stepS = 10;
const durationS = 5400;

type Row = { readonly labels: string; readonly valueAt: (sinceS: number) => number | undefined };

function family(name: string, type: string, startS: number, suffix: string, rows: readonly Row[]): string[] {
  const lines = rows.flatMap(({ labels, valueAt }) => {
    const samples: string[] = [];
    for (let sinceS = 0; sinceS <= durationS; sinceS += stepS) {
      const value = valueAt(sinceS);
      if (value !== undefined) samples.push(`${name}${suffix}{${labels}} ${value} ${startS + sinceS}`);
    }
    return samples;
  });
  return [`# TYPE ${name} ${type}`, ...lines];
}

const freshLabels = 'instance_id="fresh",instance="fresh",job="vp-executors"';
const shopLabels = 'instance_id="shop",instance="shop",job="vp-executors"';
/** A series that starts at that second. */
const startingAt =
  (seriesStartS: number, value: (s: number) => number): Row['valueAt'] =>
  (s) =>
    s < seriesStartS ? undefined : value(s - seriesStartS);

const seriesStartS = durationS - 1200;

/**
 * `shop` does 12 runs a minute, of which 9 pass; half of them take at most 0.1 s, 95 % 0.25 s, 99 % 0.5 s; it is busy 40 %
 * of the time; 3 runs wait. `S-once` ran once, for 7 s; `S-steady` once each 10 s, for 2 s; `S-flaky` changed its result at every
 * fourth of its 120 runs. `fresh` was registered 20 minutes ago: 3 of its 26 runs ended before the first sample.
 */
export function buildKnownMetrics(endS: number): string {
  const startS = endS - durationS;
  const results = { passed: 0.15, failed: 0.03, not_judged: 0.02, cancelled: 0 };
  const buckets = { 0.05: 0, 0.1: 0.5, 0.25: 0.95, 0.5: 0.99, '1.0': 1, '+Inf': 1 };
  const scenario = (id: string, result = 'passed') => `${shopLabels},scenario_id="${id}",result="${result}"`;
  const seconds = (id: string) => `${shopLabels},scenario_id="${id}"`;
  const constantRate =
    (perS: number): Row['valueAt'] =>
    (s) =>
      s * perS;
  const controlPlaneLabels = 'instance_id="shop",job="vp-control-plane",instance="plane"';
  return [
    ...family(
      'vp_executor_runs',
      'counter',
      startS,
      '_total',
      Object.entries(results).map(([result, perS]) => ({
        labels: `${shopLabels},result="${result}"`,
        valueAt: constantRate(perS),
      })),
    ),
    ...family(
      'vp_instance_runs',
      'counter',
      startS,
      '_total',
      Object.entries(results)
        .map(([result, perS]) => ({
          labels: `${shopLabels},result="${result}"`,
          valueAt: constantRate(perS),
        }))
        .concat({
          labels: `${freshLabels},result="passed"`,
          valueAt: startingAt(seriesStartS, (s) => 3 + Math.min(23, Math.floor(s / 20))),
        }),
    ),
    ...family('vp_instance_registered_timestamp_seconds', 'gauge', startS, '', [
      { labels: shopLabels, valueAt: () => startS - durationS },
      { labels: freshLabels, valueAt: startingAt(seriesStartS, () => startS + seriesStartS) },
    ]),
    ...family(
      'vp_executor_run_duration_seconds',
      'histogram',
      startS,
      '_bucket',
      Object.entries(buckets).map(([le, share]) => ({
        labels: `${shopLabels},le="${le}"`,
        valueAt: constantRate(0.2 * share),
      })),
    ),
    ...family('vp_executor_busy_seconds', 'counter', startS, '_total', [
      { labels: shopLabels, valueAt: constantRate(0.4) },
    ]),
    ...family('vp_executor_connected', 'gauge', startS, '', [{ labels: shopLabels, valueAt: () => 1 }]),
    ...family('vp_executor_reports_waiting', 'gauge', startS, '', [{ labels: shopLabels, valueAt: () => 0 }]),
    ...family('vp_executor_seen_ago_seconds', 'gauge', startS, '', [
      { labels: controlPlaneLabels, valueAt: () => 1.5 },
    ]),
    ...family('vp_queue_runs', 'gauge', startS, '', [
      { labels: `${controlPlaneLabels},state="queued"`, valueAt: () => 3 },
      { labels: `${controlPlaneLabels},state="in_progress"`, valueAt: () => 1 },
    ]),
    ...family('vp_scenario_runs', 'counter', startS, '_total', [
      { labels: scenario('S-once'), valueAt: startingAt(seriesStartS, () => 1) },
      { labels: scenario('S-steady'), valueAt: startingAt(seriesStartS, (s) => 1 + s / 10) },
      { labels: scenario('S-flaky'), valueAt: startingAt(seriesStartS, (s) => s / 20) },
      { labels: scenario('S-flaky', 'failed'), valueAt: startingAt(seriesStartS, (s) => s / 20) },
    ]),
    ...family('vp_scenario_run_seconds', 'counter', startS, '_total', [
      { labels: seconds('S-once'), valueAt: startingAt(seriesStartS, () => 7) },
      { labels: seconds('S-steady'), valueAt: startingAt(seriesStartS, (s) => 2 + s / 5) },
      { labels: seconds('S-flaky'), valueAt: startingAt(seriesStartS, (s) => s / 100) },
    ]),
    ...family('vp_scenario_result_changes', 'counter', startS, '_total', [
      { labels: seconds('S-once'), valueAt: startingAt(seriesStartS, () => 0) },
      { labels: seconds('S-steady'), valueAt: startingAt(seriesStartS, () => 0) },
      { labels: seconds('S-flaky'), valueAt: startingAt(seriesStartS, (s) => s / 40) },
    ]),
    '# EOF',
    '',
  ].join('\n');
}
