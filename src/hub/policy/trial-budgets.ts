/** Budgets in a trial: what recorded calls would have used of them, from the beginning of the periods in which the trial begins. */
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { UsageBudget } from '../../contract/hubs/policy-api.ts';
import { BudgetLedger } from '../budgets/budget-ledger.ts';
import { type BudgetPeriod, getPeriodStartMs } from '../budgets/budget-period.ts';
import { readRecordedUsage } from '../budgets/usage-counts.ts';

export class TrialBudgets {
  readonly #budgets: readonly UsageBudget[];
  readonly #periods: readonly BudgetPeriod[];
  readonly #ledgers = new Map<string, BudgetLedger>();

  constructor(budgets: readonly UsageBudget[]) {
    this.#budgets = budgets;
    this.#periods = [...new Set(budgets.map(({ period }) => period))];
  }

  /** When the first period begins that counts for calls from `fromMs` on. */
  getStartMs(fromMs: number): number {
    return Math.min(fromMs, ...this.#periods.map((period) => getPeriodStartMs(period, fromMs)));
  }

  /** Why the call could not have begun. */
  findRefusal(call: AuditCall): string | undefined {
    const usage = this.#periods.length > 0 ? readUsage(call) : undefined;
    if (!usage || usage.amount.calls === 0) return undefined;
    for (const ledger of this.#listLedgers(call)) {
      const refusal = ledger.findRefusal(usage.source);
      if (refusal) return refusal.reason;
    }
    return undefined;
  }

  /** Counts what the row says was used. */
  add(call: AuditCall): void {
    const usage = this.#periods.length > 0 ? readUsage(call) : undefined;
    if (usage) for (const ledger of this.#listLedgers(call)) ledger.add(usage.source, usage.amount);
  }

  #listLedgers({ at }: AuditCall): BudgetLedger[] {
    return this.#periods.map((period) => {
      const startMs = getPeriodStartMs(period, Date.parse(at));
      const key = `${period} ${startMs}`;
      const ledger = this.#ledgers.get(key) ?? this.#createLedger(period, startMs);
      this.#ledgers.set(key, ledger);
      return ledger;
    });
  }

  #createLedger(period: BudgetPeriod, startMs: number): BudgetLedger {
    const ledger = new BudgetLedger(period, startMs, [], () => undefined);
    ledger.setBudgets(this.#budgets.map((budget, position) => ({ budget, position })));
    return ledger;
  }
}

/** A call that was refused would have used its request at least. */
function readUsage(call: AuditCall) {
  return readRecordedUsage(call.outcome === 'denied' ? { ...call, outcome: 'ok' } : call);
}
