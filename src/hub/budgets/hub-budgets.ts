/**
 * The budgets of all hubs of this process. A hub without budgets costs one comparison for each call. With budgets, what was used is read
 * from the store and the audit at the first call of a period, and counted in memory from then on.
 */
import type { UsageBudget } from '../../contract/hubs/policy-api.ts';
import type { HubBudget } from '../../contract/hubs/usage-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import { findHub } from '../../store/control/hubs/hubs.ts';
import { repeatEvery } from '../../timing/repeat.ts';
import type { HubName, HubPrincipal } from '../access/principal.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { createSystemEntry } from '../audit/system-entry.ts';
import type { BudgetUse, PolicyRefusal } from '../policy/call-policy.ts';
import { type BudgetEvent, BudgetLedger } from './budget-ledger.ts';
import { type BudgetPeriod, getPeriodStartMs } from './budget-period.ts';
import { RecordedUsage, type RecordedUsageDependencies } from './recorded-usage.ts';
import { countsAsCall, toUsageSource } from './usage-counts.ts';

export type HubBudgetsDependencies = RecordedUsageDependencies & {
  readonly audit: Pick<AuditLog, 'tail' | 'record'>;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  readonly logSecurityEvent: (event: SecurityEvent) => void;
  readonly onError: (error: unknown) => void;
};

/** Of the policy that a call is decided by. */
export type BudgetPolicy = { readonly budgets: readonly UsageBudget[]; readonly revision: number };

export type BudgetedCall = {
  readonly principal: HubPrincipal;
  readonly connection: { readonly id: string; readonly name: string };
  readonly method: string;
  readonly tool: string;
  /** Its call was counted before: only its bytes are. */
  readonly isContinuation?: boolean;
};

/** Counts calls of one hub; for one decision. */
export type BudgetMeter = {
  /** Why the call may not begin. */
  findRefusal(call: BudgetedCall): PolicyRefusal | undefined;
  /** Call it in the same turn of the event loop as `findRefusal`, so that no two calls get the last one. */
  begin(call: BudgetedCall): BudgetUse;
};

type OpenLedger = { readonly ledger: BudgetLedger; readonly recorded: RecordedUsage; readonly stopTail: () => void };

type HubState = {
  revision: number;
  budgets: readonly UsageBudget[];
  readonly ledgers: Map<BudgetPeriod, { readonly startMs: number; readonly opening: Promise<OpenLedger> }>;
};

const saveIntervalMs = 30_000;

export class HubBudgets {
  readonly #dependencies: HubBudgetsDependencies;
  readonly #hubs = new Map<string, HubState>();
  #stopSaving: (() => void) | undefined;

  constructor(dependencies: HubBudgetsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Undefined where the policy has no budgets. Rejects if what was used cannot be read: no call is allowed then. */
  open(hub: HubName, policy: BudgetPolicy): Promise<BudgetMeter> | undefined {
    if (policy.budgets.length > 0)
      return this.#openLedgers(hub, policy).then((ledgers) => ({
        findRefusal: (call) => findRefusal(ledgers, call),
        begin: (call) => begin(ledgers, call),
      }));
    if (this.#hubs.size > 0) this.#drop(hub.id);
    return undefined;
  }

  async list(hub: HubName, policy: BudgetPolicy): Promise<HubBudget[]> {
    if (policy.budgets.length === 0) return [];
    const ledgers = await this.#openLedgers(hub, policy);
    return ledgers.flatMap((ledger) => ledger.list()).sort((a, b) => b.used_percent - a.used_percent);
  }

  /** Stores what was used. */
  async close(): Promise<void> {
    this.#stopSaving?.();
    await this.#save();
    for (const hubId of [...this.#hubs.keys()]) this.#drop(hubId);
  }

  async #openLedgers(hub: HubName, { budgets, revision }: BudgetPolicy): Promise<readonly BudgetLedger[]> {
    const state = this.#hubs.get(hub.id) ?? { revision: -1, budgets: [], ledgers: new Map() };
    this.#hubs.set(hub.id, state);
    const nowMs = this.#dependencies.clock.nowMs();
    const periods = [...new Set(budgets.map(({ period }) => period))];
    const opened = await Promise.all(periods.map((period) => this.#openLedger(hub, state, period, nowMs)));
    // Decisions by an older policy that are still running do not bring its budgets back.
    if (revision > state.revision) {
      state.revision = revision;
      state.budgets = budgets;
      for (const period of state.ledgers.keys()) if (!periods.includes(period)) this.#close(state, period);
      const entries = budgets.map((budget, position) => ({ budget, position }));
      for (const { ledger } of opened) ledger.setBudgets(entries);
    }
    return opened.map(({ ledger }) => ledger);
  }

  #openLedger(hub: HubName, state: HubState, period: BudgetPeriod, nowMs: number): Promise<OpenLedger> {
    const startMs = getPeriodStartMs(period, nowMs);
    const existing = state.ledgers.get(period);
    if (existing?.startMs === startMs) return existing.opening;
    if (existing) this.#close(state, period);
    const opening = this.#load(hub, state, period, startMs);
    const entry = { startMs, opening };
    state.ledgers.set(period, entry);
    opening.catch(() => {
      if (state.ledgers.get(period) === entry) state.ledgers.delete(period);
    });
    return opening;
  }

  async #load(hub: HubName, state: HubState, period: BudgetPeriod, startMs: number): Promise<OpenLedger> {
    const { clock, onError } = this.#dependencies;
    this.#stopSaving ??= repeatEvery(clock, saveIntervalMs, () => this.#save(), onError);
    const recorded = new RecordedUsage(this.#dependencies, { hubId: hub.id, period, startMs });
    const stopTail = this.#dependencies.audit.tail(hub.id, (call) => recorded.onWritten(call));
    try {
      await recorded.load();
    } catch (error) {
      stopTail();
      throw error;
    }
    const ledger = new BudgetLedger(period, startMs, recorded.counts.list(), (event) => this.#report(hub, event));
    ledger.setBudgets(state.budgets.map((budget, position) => ({ budget, position })));
    return { ledger, recorded, stopTail };
  }

  #report(hub: HubName, { state, item }: BudgetEvent): void {
    const { audit, clock, logSecurityEvent, onError } = this.#dependencies;
    const { position, name, used_percent: percent, resets_at: resetsAt, budget } = item;
    const text = state === 'used_up' ? 'used up budgets' : `used ${percent} % of budgets`;
    const reason = `${name} has ${text}/${position}, for this ${budget.period}, until ${resetsAt}`;
    const event = { atMs: clock.nowMs(), method: `budget ${state}`, reason, durationMs: 0 };
    audit.record({ ...createSystemEntry(hub, event), outcome: state === 'used_up' ? 'denied' : 'ok' }).catch(onError);
    logSecurityEvent({ event: `hub_budget_${state}`, level: 'warn', hub: hub.id, position, subject: item.subject });
  }

  #drop(hubId: string): void {
    const state = this.#hubs.get(hubId);
    if (!state) return;
    this.#hubs.delete(hubId);
    for (const period of [...state.ledgers.keys()]) this.#close(state, period);
  }

  /** What was counted of it is in the audit. */
  #close(state: HubState, period: BudgetPeriod): void {
    const opening = state.ledgers.get(period)?.opening;
    state.ledgers.delete(period);
    opening?.then(
      ({ stopTail }) => stopTail(),
      () => undefined,
    );
  }

  async #save(): Promise<void> {
    for (const hubId of [...this.#hubs.keys()])
      if (!(await this.#dependencies.database.read((sql) => findHub(sql, hubId)))) this.#drop(hubId);
    for (const { ledgers } of this.#hubs.values())
      for (const { opening } of ledgers.values()) {
        const opened = await opening.catch(() => undefined);
        await opened?.recorded.save();
      }
  }
}

const isNewCall = ({ method, isContinuation }: BudgetedCall): boolean => !isContinuation && countsAsCall(method);

function findRefusal(ledgers: readonly BudgetLedger[], call: BudgetedCall): PolicyRefusal | undefined {
  if (!isNewCall(call)) return undefined;
  const source = toUsageSource(call.principal, call.connection, call.method, call.tool);
  return ledgers.map((ledger) => ledger.findRefusal(source)).find((found) => found);
}

function begin(ledgers: readonly BudgetLedger[], call: BudgetedCall): BudgetUse {
  const source = toUsageSource(call.principal, call.connection, call.method, call.tool);
  const addToAll = (calls: number, bytes: number) =>
    ledgers
      .flatMap((ledger) => ledger.add(source, { calls, bytes }) ?? [])
      .reduce<ReturnType<BudgetUse['charge']>>(
        (nearest, next) => (nearest && nearest.used_percent >= next.used_percent ? nearest : next),
        undefined,
      );
  const calls = isNewCall(call) ? 1 : 0;
  addToAll(calls, 0);
  let isOpen = true;
  return {
    charge(bytes: number) {
      if (!isOpen) return undefined;
      isOpen = false;
      return addToAll(0, bytes);
    },
    cancel() {
      if (isOpen) addToAll(-calls, 0);
      isOpen = false;
    },
  };
}
