import { readFileSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';
import { alertRules, alertsText } from '../../src/dashboard/alerts.ts';
import { grafanaText } from '../../src/dashboard/grafana.ts';
import { metricsPage } from '../../src/dashboard/metrics-page.ts';
import { instanceQueries, panels, scenarioQueries } from '../../src/dashboard/panels.ts';
import { prometheusConfigText } from '../../src/dashboard/prometheus-config.ts';
import { controlShapes, executorShapes } from '../../src/metrics/shapes.ts';

const shapes = [...Object.values(controlShapes), ...Object.values(executorShapes)];
const known = new Map<string, readonly string[]>(shapes.map(({ name, labels }) => [name, labels]));
const queries = [
  ...panels.flatMap(({ lines }) => lines.map(({ query }) => query)),
  ...Object.values(scenarioQueries).map(({ query }) => query),
  ...Object.values(instanceQueries),
  ...alertRules.map(({ query }) => query),
];

t.test('questions name metrics that are told, by labels that they have', async (t) => {
  for (const query of queries)
    for (const [, name = '', selector = ''] of query.matchAll(/\b(vp_\w+)(?:\{([^}]*)\})?/g)) {
      const labels = known.get(name.replace(/_bucket$/, ''));
      t.ok(labels, name);
      for (const [, label = ''] of selector.matchAll(/(\w+)[=!]/g)) t.ok(labels?.includes(label), `${name} ${label}`);
    }
});

t.test('names have their units, and labels are bounded ones', async (t) => {
  for (const { name, labels } of shapes) {
    t.match(name, /_(total|seconds|runs|connected|waiting|up)$/);
    t.same(
      labels.filter((label) => !['instance_id', 'scenario_id', 'result', 'state', 'source'].includes(label)),
      [],
    );
  }
});

t.test('Grafana has every panel, and asks for the chosen instances', async (t) => {
  const { panels: exported, ...rest } = JSON.parse(grafanaText());
  t.equal(exported.length, panels.length + 2);
  t.match(rest, { __inputs: [{ pluginId: 'prometheus' }], uid: 'vp-instances' });
  const asked: string[] = exported.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );
  for (const query of asked) {
    t.notMatch(query, /\$window|\$range\b/);
    for (const [selector] of query.matchAll(/\bvp_\w+(\{[^}]*\})?/g))
      t.match(selector, /^vp_\w+\{instance_id=~"\$instance"/);
  }
});

t.test('every alert has words and a cure', async (t) => {
  const [group] = parse(alertsText()).groups;
  t.equal(group.rules.length, alertRules.length);
  for (const { annotations, expr } of group.rules) t.ok(annotations.summary && annotations.cure && expr);
});

t.test('Prometheus finds instances by name and brings keys from files', async (t) => {
  const place = { folder: '/etc/prometheus', dashboard: 'platform-dashboard:3000' };
  const jobs = (hasControlPlane: boolean) => parse(prometheusConfigText({ ...place, hasControlPlane })).scrape_configs;
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

t.test('the page of metrics is the one that the tables make', async (t) => {
  t.equal(readFileSync('src/dashboard/METRICS.md', 'utf8'), metricsPage());
});
