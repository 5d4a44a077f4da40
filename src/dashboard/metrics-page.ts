/** The page of all metrics, panels and alerts: src/dashboard/METRICS.md. */
import { maxScenarios } from '../metrics/executor-metrics.ts';
import { controlShapes, executorShapes } from '../metrics/shapes.ts';
import { alertRules } from './alerts.ts';
import { filled, panels, scenarioQueries } from './panels.ts';

type Shape = { readonly name: string; readonly help: string; readonly labels: readonly string[] };

/** Its text. */
export function metricsPage(): string {
  const tables = [scenarioQueries.slowest, scenarioQueries.flakiest];
  return [
    '# Metrics, panels and alerts',
    '',
    'Written by `node build.mjs` from the tables in the sources. Units stand in the names. No label takes values that',
    `callers send: \`instance_id\` is one of the registered instances, \`scenario_id\` one of the first ${maxScenarios} scenarios that an`,
    'executor runs, the rest is told as `other`.',
    '',
    ...shapesOf('Executor, `GET /metrics` with the scrape key', Object.values(executorShapes)),
    ...shapesOf('Control plane, `GET /metrics` with its scrape key', Object.values(controlShapes)),
    'All roles also tell `vp_http_requests_total` and `vp_http_request_duration_seconds`, by route.',
    '',
    '## Panels',
    '',
    'The same on the page of `vp dashboard` and in the file of `vp dashboard --export-grafana`. Here a point covers 5 minutes',
    'and the range is an hour.',
    '',
    ...panels.flatMap(({ title, meaning, lines }) => [
      `**${title}.** ${meaning}`,
      '',
      '```promql',
      ...lines.map(({ query }) => filled(query, '5m', '1h')),
      '```',
      '',
    ]),
    ...tables.flatMap(({ title, meaning, query }) => [
      `**${title}.** ${meaning}`,
      '',
      '```promql',
      filled(query, '5m', '1h'),
      '```',
      '',
    ]),
    '## Alerts',
    '',
    'The file of `vp dashboard --export-alerts`; alerts that are on stand at the top of the dashboard.',
    '',
    '| Alert | Holds for | Query |',
    '| --- | --- | --- |',
    ...alertRules.map(({ name, lasts, query }) => `| ${name} | ${lasts} | \`${query.replaceAll('|', '\\|')}\` |`),
    '',
  ].join('\n');
}

function shapesOf(title: string, shapes: readonly Shape[]): string[] {
  const rows = shapes.map(({ name, help, labels }) => `| \`${name}\` | ${labels.join(', ') || '–'} | ${help} |`);
  return [`## ${title}`, '', '| Name | Labels | What it is |', '| --- | --- | --- |', ...rows, ''];
}
