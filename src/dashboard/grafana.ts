/** The panels as a dashboard for Grafana (schema 39, version 10 and later), which asks for the Prometheus when it is imported. */
import type { DashboardUnit } from '../contract/dashboard-api.ts';
import { filled, panels, scenarioQueries } from './panels.ts';

const source = { type: 'prometheus', uid: '${DS_PROMETHEUS}' };
const units: Readonly<Record<DashboardUnit, string>> = {
  per_minute: 'opm',
  share: 'percentunit',
  seconds: 's',
  runs: 'none',
};
const width = 12;
const height = 8;

/** The file's text. */
export function grafanaText(): string {
  const charts = panels.map((panel, index) => ({
    ...shared(index + 1, 'timeseries', panel.title, panel.meaning),
    gridPos: place(index),
    fieldConfig: {
      defaults: { unit: units[panel.unit], min: 0, ...(panel.unit === 'share' ? { max: 1 } : {}) },
      overrides: [],
    },
    targets: panel.lines.map(({ label, query }, line) => ({
      refId: String.fromCharCode(65 + line),
      datasource: source,
      expr: asked(query),
      legendFormat: panel.lines.length > 1 ? `{{instance_id}} ${label}` : '{{instance_id}}',
    })),
  }));
  const tables = [scenarioQueries.slowest, scenarioQueries.flakiest].map(({ title, meaning, query }, index) => ({
    ...shared(panels.length + index + 1, 'table', title, meaning),
    gridPos: place(panels.length + index),
    fieldConfig: { defaults: { unit: index === 0 ? 's' : 'percentunit' }, overrides: [] },
    options: { sortBy: [{ displayName: 'Value', desc: true }] },
    transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }],
    targets: [{ refId: 'A', datasource: source, expr: asked(query), instant: true, format: 'table' }],
  }));
  return `${JSON.stringify(document([...charts, ...tables]), null, 2)}\n`;
}

function asked(query: string): string {
  // Only the instances that are chosen at the top, in every selector there is.
  const chosen = query
    .replaceAll(/\b(vp_\w+)\{/g, '$1{instance_id=~"$instance",')
    .replaceAll(/\b(vp_\w+)(?![\w{])/g, '$1{instance_id=~"$instance"}');
  return filled(chosen, '$__rate_interval', '$__range');
}

function shared(id: number, type: string, title: string, description: string) {
  return { id, type, title, description, datasource: source };
}

function place(index: number) {
  return { x: (index % 2) * width, y: Math.floor(index / 2) * height, w: width, h: height };
}

function document(all: readonly object[]): object {
  return {
    __inputs: [{ name: 'DS_PROMETHEUS', label: 'Prometheus', type: 'datasource', pluginId: 'prometheus' }],
    __requires: [{ type: 'datasource', id: 'prometheus', name: 'Prometheus', version: '1.0.0' }],
    uid: 'vp-instances',
    title: 'vp: instances',
    tags: ['vp'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        {
          name: 'instance',
          label: 'Instance',
          type: 'query',
          datasource: source,
          query: 'label_values(vp_executor_connected, instance_id)',
          refresh: 2,
          multi: true,
          includeAll: true,
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: all,
  };
}
