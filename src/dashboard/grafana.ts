/** The panels as a Grafana dashboard (schema 39, version 10 and later). Grafana asks for the Prometheus data source on import. */
import type { DashboardUnit } from '../contract/dashboard-api.ts';
import { fillQuery, panels, scenarioQueries } from './panels.ts';

const dataSource = { type: 'prometheus', uid: '${DS_PROMETHEUS}' };
const units: Readonly<Record<DashboardUnit, string>> = {
  per_minute: 'opm',
  share: 'percentunit',
  seconds: 's',
  runs: 'none',
};
const width = 12;
const height = 8;

export function formatGrafanaDashboard(): string {
  const charts = panels.map((panel, index) => ({
    ...createPanelBase(index + 1, 'timeseries', panel.title, panel.meaning),
    gridPos: getGridPosition(index),
    fieldConfig: {
      defaults: { unit: units[panel.unit], min: 0, ...(panel.unit === 'share' ? { max: 1 } : {}) },
      overrides: [],
    },
    targets: panel.lines.map(({ label, query }, line) => ({
      refId: String.fromCharCode(65 + line),
      datasource: dataSource,
      expr: toGrafanaQuery(query),
      legendFormat: panel.lines.length > 1 ? `{{instance_id}} ${label}` : '{{instance_id}}',
    })),
  }));
  const tables = [scenarioQueries.slowest, scenarioQueries.flakiest].map(({ title, meaning, query }, index) => ({
    ...createPanelBase(panels.length + index + 1, 'table', title, meaning),
    gridPos: getGridPosition(panels.length + index),
    fieldConfig: { defaults: { unit: index === 0 ? 's' : 'percentunit' }, overrides: [] },
    options: { sortBy: [{ displayName: 'Value', desc: true }] },
    transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }],
    targets: [{ refId: 'A', datasource: dataSource, expr: toGrafanaQuery(query), instant: true, format: 'table' }],
  }));
  return `${JSON.stringify(createDashboardFile([...charts, ...tables]), null, 2)}\n`;
}

function toGrafanaQuery(query: string): string {
  // Restricts every selector to the instances selected at the top.
  const withInstanceFilter = query
    .replaceAll(/\b(vp_\w+)\{/g, '$1{instance_id=~"$instance",')
    .replaceAll(/\b(vp_\w+)(?![\w{])/g, '$1{instance_id=~"$instance"}');
  return fillQuery(withInstanceFilter, {
    window: '$__rate_interval',
    range: '$__range',
    rangeSeconds: '$__range_s',
  });
}

function createPanelBase(id: number, type: string, title: string, description: string) {
  return { id, type, title, description, datasource: dataSource };
}

function getGridPosition(index: number) {
  return { x: (index % 2) * width, y: Math.floor(index / 2) * height, w: width, h: height };
}

function createDashboardFile(grafanaPanels: readonly object[]): object {
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
          datasource: dataSource,
          query: 'label_values(vp_executor_connected, instance_id)',
          refresh: 2,
          multi: true,
          includeAll: true,
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: grafanaPanels,
  };
}
