/** What was used of the budgets of a hub in its present periods. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const BudgetUsageShape = Type.Object({
  hub_id: Type.String(),
  period: Type.String(),
  start_ms: Type.Integer(),
  audit_seq: Type.Integer(),
  usage: Type.String(),
});
export type BudgetUsageRow = Static<typeof BudgetUsageShape>;

const reader = createRowReader(BudgetUsageShape);
const columns = 'hub_id, period, start_ms, audit_seq, usage';

export function findBudgetUsage(sql: Sql, hubId: string, period: string): BudgetUsageRow | undefined {
  const text = `SELECT ${columns} FROM hub_budget_usage WHERE hub_id = ? AND period = ?`;
  return reader.first(sql, text, hubId, period);
}

/** A hub that was removed meanwhile has none. */
export function saveBudgetUsage(sql: Sql, { hub_id, period, start_ms, audit_seq, usage }: BudgetUsageRow): void {
  sql.execute(
    `INSERT INTO hub_budget_usage (${columns}) SELECT id, ?, ?, ?, ? FROM hubs WHERE id = ?
       ON CONFLICT (hub_id, period) DO UPDATE SET start_ms = excluded.start_ms, audit_seq = excluded.audit_seq,
         usage = excluded.usage`,
    period,
    start_ms,
    audit_seq,
    usage,
    hub_id,
  );
}
