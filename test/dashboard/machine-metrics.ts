/** Metrics of a machine with two instances, one of which is down. */
import type { FakeSeries } from './fake-prometheus.ts';

const hourS = 3600;

function calculateWave(atS: number, around: number, amplitude: number): number {
  return Math.max(0, around + amplitude * Math.sin(atS / 1300) + amplitude * 0.4 * Math.sin(atS / 210));
}

function instance(id: string, valueAt: (atS: number) => number | undefined): FakeSeries {
  return { labels: { instance_id: id }, valueAt };
}

function scenario(id: string, instanceId: string, value: number): FakeSeries {
  return { labels: { instance_id: instanceId, scenario_id: id }, valueAt: () => value };
}

const charts: readonly (readonly [part: string, around: number, amplitude: number])[] = [
  ['0.5, ', 0.041, 0.01],
  ['0.95, ', 0.18, 0.08],
  ['0.99, ', 0.6, 0.35],
  ['vp_queue_runs', 2, 3],
  ['busy_seconds', 0.4, 0.25],
  ['* 60', 6, 5],
];

/** Returns an `answerQuery` for the dashboard's queries. Waves start at `nowS`, so that they do not depend on the time of day. */
export function createMachineMetrics(nowS: number): (query: string) => readonly FakeSeries[] {
  // In the middle of the shortest range, so that every range has values of both instances however its times are aligned.
  const outageS = nowS - hourS / 2;
  const wave = (atS: number, around: number, amplitude: number) => calculateWave(atS - nowS, around, amplitude);
  return (query) => {
    if (query.startsWith('ALERTS'))
      return [
        { labels: { alertname: 'VpRunsFailing', instance_id: 'shop-dev' }, valueAt: () => 1 },
        { labels: { alertname: 'VpExecutorAway', instance_id: 'shop-dev' }, valueAt: () => 1 },
      ];
    if (query.includes('last_over_time(vp_executor_connected'))
      return [instance('sign-prod', () => 1), instance('shop-dev', () => 1)];
    if (query.includes('avg_over_time'))
      return [instance('sign-prod', () => 1), instance('shop-dev', (atS) => (atS < outageS ? 1 : undefined))];
    if (query.includes('vp_executor_connected')) return [instance('sign-prod', () => 1)];
    if (query.includes('seen_ago')) return [instance('sign-prod', () => 2), instance('shop-dev', () => hourS / 2)];
    if (query.includes('scenario_id')) return scenarios(query);
    if (query.startsWith('round(') && !query.includes('result="passed"'))
      return [instance('sign-prod', () => 1204), instance('shop-dev', () => 38)];
    if (query.includes('result="passed"'))
      return [
        instance('sign-prod', (atS) => Math.min(1, 0.982 + 0.02 * Math.sin((atS - nowS) / 900))),
        instance('shop-dev', (atS) =>
          atS < outageS ? Math.max(0, 0.4 + 0.3 * Math.sin((atS - nowS) / 700)) : undefined,
        ),
      ];
    const [, around, amplitude] = charts.find(([part]) => query.includes(part)) ?? ['', 1, 0];
    return [
      instance('sign-prod', (atS) => wave(atS, around, amplitude)),
      instance('shop-dev', (atS) => (atS < outageS ? wave(atS + 500, around / 2, amplitude / 3) : undefined)),
    ];
  };
}

function scenarios(query: string): readonly FakeSeries[] {
  if (query.includes('result_changes')) return [scenario('RT-GET-envelope', 'shop-dev', 0.21)];
  const isMean = query.startsWith('topk');
  return [
    scenario('RT-POST-document-with-a-rather-long-name', 'sign-prod', isMean ? 2.4 : 300),
    scenario('RT-GET-envelope', 'shop-dev', isMean ? 0.61 : 19),
    scenario('RT-GET-document', 'sign-prod', isMean ? 0.04 : 904),
  ];
}
