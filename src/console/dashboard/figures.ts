/** Numbers in words, and the lines' looks. */
import type { DashboardRange, DashboardUnit } from '../../contract/dashboard-api.ts';
import { rateText } from '../runs/rates.ts';
import { durationText } from '../words/moments.ts';

/** What a range is called. */
export const rangeNames: Readonly<Record<DashboardRange, string>> = {
  '1h': '1 hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};

/** On its button. */
export const shortRangeNames: Readonly<Record<DashboardRange, string>> = {
  '1h': '1 h',
  '6h': '6 h',
  '24h': '24 h',
  '7d': '7 days',
  '30d': '30 days',
};

/** `1.2 s`, `98.2 %`, `3.5`. */
export function figureText(value: number, unit: DashboardUnit): string {
  if (unit === 'share') return rateText(Math.max(0, value));
  if (unit === 'seconds') return durationText(value * 1000);
  if (unit === 'runs') return countText(value);
  return value === 0 || value >= 100 ? countText(value) : value.toPrecision(2).replace(/\.0$/, '');
}

/** Whole, with separators. */
export function countText(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Ticks of an axis are shorter. */
export function tickText(value: number, unit: DashboardUnit): string {
  if (unit === 'share') return `${Math.round(value * 100)} %`;
  if (unit === 'seconds')
    return value >= 60
      ? `${+(value / 60).toFixed(1)} min`
      : value >= 1
        ? `${+value.toFixed(1)} s`
        : `${+(value * 1000).toFixed(1)} ms`;
  return String(+value.toFixed(2));
}

/** How a line looks: colour is for results, so others differ by strength and dashes. */
export const looks: Readonly<Record<string, { readonly token: string; readonly dash?: number[] }>> = {
  passed: { token: '--passed' },
  p95: { token: '--faint' },
  p99: { token: '--faint', dash: [3, 3] },
};

/** Of lines that have no look of their own. */
export const usualLook = { token: '--ink' };
