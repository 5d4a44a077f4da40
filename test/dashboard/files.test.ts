import { readFileSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';
import { alertRules, formatAlertRules } from '../../src/dashboard/alerts.ts';
import { formatGrafanaDashboard } from '../../src/dashboard/grafana.ts';
import { renderMetricsPage } from '../../src/dashboard/metrics-page.ts';
import { instanceQueries, panels, scenarioQueries } from '../../src/dashboard/panels.ts';
import { formatPrometheusConfig } from '../../src/dashboard/prometheus-config.ts';
import { controlPlaneMetrics, executorMetricDefinitions } from '../../src/metrics/metric-definitions.ts';

const shapes = [...Object.values(controlPlaneMetrics), ...Object.values(executorMetricDefinitions)];
const labelsByMetric = new Map<string, readonly string[]>(shapes.map(({ name, labels }) => [name, labels]));
const queries = [
  ...panels.flatMap(({ lines }) => lines.map(({ query }) => query)),
  ...Object.values(scenarioQueries).map(({ query }) => query),
  ...Object.values(instanceQueries),
  ...alertRules.map(({ query }) => query),
];

t.test('queries use existing metrics and labels', async (t) => {
  for (const query of queries)
    for (const [, name = '', selector = ''] of query.matchAll(/\b(vp_\w+)(?:\{([^}]*)\})?/g)) {
      const labels = labelsByMetric.get(name.replace(/_bucket$/, ''));
      t.ok(labels, name);
      for (const [, label = ''] of selector.matchAll(/(\w+)[=!]/g)) t.ok(labels?.includes(label), `${name} ${label}`);
    }
});

t.test('header and charts count the same runs in the store, and measure the same durations', async (t) => {
  const chart = (id: string) => panels.find((panel) => panel.id === id);
  const counts = [
    instanceQueries.runs,
    instanceQueries.passed,
    ...['runs', 'pass-rate'].map((id) => chart(id)?.lines[0]?.query),
  ];
  for (const query of counts) {
    t.match(query, /vp_instance_runs_total/, 'what the console counts too');
    t.notMatch(query, /vp_executor_runs|vp_scenario_runs/, 'counters of executors restart with them');
  }
  const duration = chart('duration');
  const p95 = duration?.lines.find(({ label }) => label === 'p95')?.query;
  t.equal(p95?.replaceAll('$window', '$range'), instanceQueries.p95);
  t.match(duration?.meaning, /without the time in the queue/);
});

t.test('metric names have units, and labels have a bounded set of values', async (t) => {
  for (const { name, labels } of shapes) {
    t.match(name, /_(total|seconds|runs|calls|connections|connected|waiting|up)$/);
    t.same(
      labels.filter(
        (label) => !['instance_id', 'scenario_id', 'result', 'state', 'source', 'store', 'engine'].includes(label),
      ),
      [],
    );
  }
});

t.test('the Grafana dashboard has every panel, filtered by the selected instances', async (t) => {
  const { panels: exported, ...rest } = JSON.parse(formatGrafanaDashboard());
  t.equal(exported.length, panels.length + 2);
  t.match(rest, { __inputs: [{ pluginId: 'prometheus' }], uid: 'vp-instances' });
  const exportedQueries: string[] = exported.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );
  for (const query of exportedQueries) {
    t.notMatch(query, /\$window|\$range\b/);
    for (const [selector] of query.matchAll(/\bvp_\w+(\{[^}]*\})?/g))
      t.match(selector, /^vp_\w+\{instance_id=~"\$instance"/);
  }
});

t.test('every alert has a summary and a fix', async (t) => {
  const [group] = parse(formatAlertRules()).groups;
  t.equal(group.rules.length, alertRules.length);
  for (const { annotations, expr } of group.rules) t.ok(annotations.summary && annotations.cure && expr);
});

t.test('Prometheus discovers instances by DNS and reads keys from files', async (t) => {
  const configOptions = { folder: '/etc/prometheus', dashboard: 'platform-dashboard:3000' };
  const jobs = (hasControlPlane: boolean) =>
    parse(formatPrometheusConfig({ ...configOptions, hasControlPlane })).scrape_configs;
  t.equal(jobs(false).length, 2);
  t.match(jobs(true), [
    {
      job_name: 'vp-executors',
      dns_sd_configs: [{ names: ['vp-executors'], type: 'A', port: 8765 }],
      authorization: { credentials_file: '/etc/prometheus/scrape.key' },
    },
    { job_name: 'vp-router' },
    { metrics_path: '/relay/metrics', static_configs: [{ targets: ['platform-dashboard:3000'] }] },
  ]);
});

t.test('the reference page of the metrics is up to date', async (t) => {
  t.equal(readFileSync('docs/reference/metrics.md', 'utf8'), renderMetricsPage());
});
