import type { DashboardRange } from '../contract/dashboard-api.ts';

/** How a range is asked for, in seconds. A point covers `windowS`, which is never less than two scrapes. */
export type Span = { readonly rangeS: number; readonly stepS: number; readonly windowS: number };

const hourS = 3600;

/** At most 180 points each. */
export const spans: Readonly<Record<DashboardRange, Span>> = {
  '1h': { rangeS: hourS, stepS: 30, windowS: 120 },
  '6h': { rangeS: 6 * hourS, stepS: 180, windowS: 360 },
  '24h': { rangeS: 24 * hourS, stepS: 600, windowS: 900 },
  '7d': { rangeS: 7 * 24 * hourS, stepS: hourS, windowS: hourS },
  '30d': { rangeS: 30 * 24 * hourS, stepS: 4 * hourS, windowS: 4 * hourS },
};
