/** Formats values of charts, and defines the style of their lines. */
import type { DashboardRange, DashboardUnit } from '../../contract/dashboard-api.ts';
import { formatDuration } from '../../report/measures.ts';
import { formatRate } from '../runs/charts/pass-rate.ts';

export const rangeNames: Readonly<Record<DashboardRange, string>> = {
  '1h': '1 hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};

export const shortRangeNames: Readonly<Record<DashboardRange, string>> = {
  '1h': '1 h',
  '6h': '6 h',
  '24h': '24 h',
  '7d': '7 days',
  '30d': '30 days',
};

/** `1.2 s`, `98.2 %`, `3.5`. */
export function formatMetricValue(value: number, unit: DashboardUnit): string {
  if (unit === 'share') return formatRate(Math.max(0, value));
  if (unit === 'seconds') return formatDuration(value * 1000);
  if (unit === 'runs') return formatInteger(value);
  return value === 0 || value >= 100 ? formatInteger(value) : value.toPrecision(2).replace(/\.0$/, '');
}

/** Rounds, with thousands separators. */
export function formatInteger(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** A shorter format for the ticks of an axis. */
export function formatTick(value: number, unit: DashboardUnit): string {
  if (unit === 'share') return `${Math.round(value * 100)} %`;
  if (unit === 'seconds')
    return value >= 60
      ? `${+(value / 60).toFixed(1)} min`
      : value >= 1
        ? `${+value.toFixed(1)} s`
        : `${+(value * 1000).toFixed(1)} ms`;
  return String(+value.toFixed(2));
}

/** Styles by line label. Colour is reserved for results, so other lines differ by contrast and dashes. */
export const chartLineStyles: Readonly<Record<string, { readonly token: string; readonly dash?: number[] }>> = {
  passed: { token: '--passed' },
  p95: { token: '--faint' },
  p99: { token: '--faint', dash: [3, 3] },
};

export const defaultLineStyle = { token: '--ink' };
