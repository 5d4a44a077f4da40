/** Days and months of budgets, in UTC. */
import type { UsageBudget } from '../../contract/hubs/policy-api.ts';

export type BudgetPeriod = UsageBudget['period'];

export function getPeriodStartMs(period: BudgetPeriod, nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), period === 'day' ? now.getUTCDate() : 1);
}

/** The first moment of the next period. */
export function getPeriodEndMs(period: BudgetPeriod, startMs: number): number {
  const start = new Date(startMs);
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()];
  return period === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
}
