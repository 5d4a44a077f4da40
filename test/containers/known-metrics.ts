/** An hour and a half of metrics whose every answer is known, as a text for `promtool tsdb create-blocks-from openmetrics`. */

const stepS = 10;
const longS = 5400;

type Row = { readonly labels: string; readonly at: (sinceS: number) => number | undefined };

function family(name: string, type: string, startS: number, suffix: string, rows: readonly Row[]): string[] {
  const lines = rows.flatMap(({ labels, at }) => {
    const made: string[] = [];
    for (let sinceS = 0; sinceS <= longS; sinceS += stepS) {
      const value = at(sinceS);
      if (value !== undefined) made.push(`${name}${suffix}{${labels}} ${value} ${startS + sinceS}`);
    }
    return made;
  });
  return [`# TYPE ${name} ${type}`, ...lines];
}

const shop = 'instance_id="shop",instance="shop",job="vp-executors"';
/** From then on; before there is no such series. */
const from =
  (bornS: number, value: (s: number) => number): Row['at'] =>
  (s) =>
    s < bornS ? undefined : value(s - bornS);

const bornS = longS - 1200;

/**
 * `shop` does 12 runs a minute, of which 9 pass; half of them take at most 0.1 s, 95 % 0.25 s, 99 % 0.5 s; it is busy 40 %
 * of the time; 3 runs wait. `S-once` ran once, for 7 s; `S-steady` once each 10 s, for 2 s; `S-flaky` turned round at every
 * fourth of its 120 runs.
 */
export function knownMetrics(endS: number): string {
  const startS = endS - longS;
  const results = { passed: 0.15, failed: 0.03, not_judged: 0.02, cancelled: 0 };
  const buckets = { 0.05: 0, 0.1: 0.5, 0.25: 0.95, 0.5: 0.99, '1.0': 1, '+Inf': 1 };
  const scenario = (id: string, result = 'passed') => `${shop},scenario_id="${id}",result="${result}"`;
  const seconds = (id: string) => `${shop},scenario_id="${id}"`;
  const rate =
    (perS: number): Row['at'] =>
    (s) =>
      s * perS;
  const plane = 'instance_id="shop",job="vp-control-plane",instance="plane"';
  return [
    ...family(
      'vp_executor_runs',
      'counter',
      startS,
      '_total',
      Object.entries(results).map(([result, perS]) => ({ labels: `${shop},result="${result}"`, at: rate(perS) })),
    ),
    ...family(
      'vp_executor_run_duration_seconds',
      'histogram',
      startS,
      '_bucket',
      Object.entries(buckets).map(([le, share]) => ({ labels: `${shop},le="${le}"`, at: rate(0.2 * share) })),
    ),
    ...family('vp_executor_busy_seconds', 'counter', startS, '_total', [{ labels: shop, at: rate(0.4) }]),
    ...family('vp_executor_connected', 'gauge', startS, '', [{ labels: shop, at: () => 1 }]),
    ...family('vp_executor_reports_waiting', 'gauge', startS, '', [{ labels: shop, at: () => 0 }]),
    ...family('vp_executor_seen_ago_seconds', 'gauge', startS, '', [{ labels: plane, at: () => 1.5 }]),
    ...family('vp_queue_runs', 'gauge', startS, '', [
      { labels: `${plane},state="queued"`, at: () => 3 },
      { labels: `${plane},state="in_progress"`, at: () => 1 },
    ]),
    ...family('vp_scenario_runs', 'counter', startS, '_total', [
      { labels: scenario('S-once'), at: from(bornS, () => 1) },
      { labels: scenario('S-steady'), at: from(bornS, (s) => 1 + s / 10) },
      { labels: scenario('S-flaky'), at: from(bornS, (s) => s / 20) },
      { labels: scenario('S-flaky', 'failed'), at: from(bornS, (s) => s / 20) },
    ]),
    ...family('vp_scenario_run_seconds', 'counter', startS, '_total', [
      { labels: seconds('S-once'), at: from(bornS, () => 7) },
      { labels: seconds('S-steady'), at: from(bornS, (s) => 2 + s / 5) },
      { labels: seconds('S-flaky'), at: from(bornS, (s) => s / 100) },
    ]),
    ...family('vp_scenario_result_changes', 'counter', startS, '_total', [
      { labels: seconds('S-once'), at: from(bornS, () => 0) },
      { labels: seconds('S-steady'), at: from(bornS, () => 0) },
      { labels: seconds('S-flaky'), at: from(bornS, (s) => s / 40) },
    ]),
    '# EOF',
    '',
  ].join('\n');
}
