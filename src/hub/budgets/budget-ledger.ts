/**
 * The budgets of a hub in one period: counted in memory without a pause between the check and the count, so that no two calls get the last
 * one. A call counts when it begins, and its bytes when it has ended.
 */
import type { UsageBudget } from '../../contract/hubs/policy-api.ts';
import type { HubBudget } from '../../contract/hubs/usage-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { toolSeparator } from '../connections/connection.ts';
import type { BudgetWarning, PolicyRefusal } from '../policy/call-policy.ts';
import { matchesTool } from '../policy/tool-pattern.ts';
import { type BudgetPeriod, getPeriodEndMs } from './budget-period.ts';
import { type UsageAmount, type UsageCount, UsageCounts, type UsageSource } from './usage-counts.ts';

export type BudgetEntry = { readonly budget: UsageBudget; readonly position: number };

export type BudgetEvent = { readonly state: 'warning' | 'used_up'; readonly item: HubBudget };

type Counter = UsageAmount & { readonly subject: string; readonly name: string; state: HubBudget['state'] };

const warningPercent = 80;
const bytesPerToken = 4;
const toTokens = (bytes: number): number => Math.ceil(bytes / bytesPerToken);

export class BudgetLedger {
  readonly period: BudgetPeriod;
  readonly startMs: number;
  readonly #counts = new UsageCounts();
  readonly #onEvent: (event: BudgetEvent) => void;
  #budgets: readonly BudgetEntry[] = [];
  #counters = new Map<string, Counter>();

  constructor(
    period: BudgetPeriod,
    startMs: number,
    counts: readonly UsageCount[],
    onEvent: (event: BudgetEvent) => void,
  ) {
    this.period = period;
    this.startMs = startMs;
    this.#onEvent = onEvent;
    this.#counts.addAll(counts);
  }

  /** What was used before counts for new budgets too. */
  setBudgets(budgets: readonly BudgetEntry[]): void {
    this.#budgets = budgets.filter(({ budget }) => budget.period === this.period);
    this.#counters = new Map();
    for (const { calls, bytes, ...source } of this.#counts.list())
      for (const entry of this.#listMatching(source)) this.#count(entry, source, { calls, bytes });
    // Nobody is warned again because another budget changed, or the process started.
    for (const entry of this.#budgets)
      for (const counter of this.#listCounters(entry)) counter.state = toState(entry.budget, counter);
  }

  /** Why another call may not begin. */
  findRefusal(source: UsageSource): PolicyRefusal | undefined {
    for (const entry of this.#listMatching(source)) {
      const counter = this.#counters.get(toKey(entry, source));
      if (counter && toState(entry.budget, counter) === 'used_up') return this.#refuse(entry, counter);
    }
    return undefined;
  }

  /** Returns the budget of the caller that is nearest to its end, if that is near. */
  add(source: UsageSource, amount: UsageAmount): BudgetWarning | undefined {
    this.#counts.add(source, amount);
    let warning: BudgetWarning | undefined;
    for (const entry of this.#listMatching(source)) {
      const counter = this.#count(entry, source, amount);
      const state = toState(entry.budget, counter);
      if (state === 'ok') {
        counter.state = state;
        continue;
      }
      const item = this.#toItem(entry, counter);
      const isUse = amount.calls > 0 || amount.bytes > 0;
      if (state !== counter.state && isUse) this.#onEvent({ state, item });
      counter.state = state;
      const { position, used_percent, resets_at } = item;
      const { per, period } = entry.budget;
      if (!warning || used_percent > warning.used_percent) warning = { position, per, period, used_percent, resets_at };
    }
    return warning;
  }

  list(): HubBudget[] {
    return this.#budgets.flatMap((entry) => this.#listCounters(entry).map((counter) => this.#toItem(entry, counter)));
  }

  #listMatching({ connection, tool }: UsageSource): readonly BudgetEntry[] {
    const name = `${connection}${toolSeparator}${tool}`;
    return this.#budgets.filter(
      ({ budget }) => budget.tools === undefined || (tool !== '' && matchesTool(budget.tools, name)),
    );
  }

  #listCounters({ position }: BudgetEntry): Counter[] {
    return [...this.#counters].flatMap(([key, counter]) => (key.startsWith(`${position}\0`) ? [counter] : []));
  }

  #count(entry: BudgetEntry, source: UsageSource, { calls, bytes }: UsageAmount): Counter {
    const key = toKey(entry, source);
    const before = this.#counters.get(key) ?? {
      ...toSubject(entry, source),
      calls: 0,
      bytes: 0,
      state: 'ok' as const,
    };
    const counter = { ...before, calls: before.calls + calls, bytes: before.bytes + bytes };
    this.#counters.set(key, counter);
    return counter;
  }

  #toItem({ budget, position }: BudgetEntry, { subject, name, calls, bytes }: Counter): HubBudget {
    const counter = { calls, bytes };
    return {
      ...{ position, budget, subject, name, calls, bytes, estimated_tokens: toTokens(bytes) },
      used_percent: Math.floor(getUsedShare(budget, counter) * 1000) / 10,
      state: toState(budget, counter),
      since: new Date(this.startMs).toISOString(),
      resets_at: new Date(getPeriodEndMs(this.period, this.startMs)).toISOString(),
    };
  }

  #refuse(entry: BudgetEntry, counter: Counter): PolicyRefusal {
    const { resets_at: resetsAt } = this.#toItem(entry, counter);
    const { budget, position } = entry;
    const { code, message, cure } = vpError('HUB_BUDGET_USED_UP', {
      ...{ whose: describeSubject(budget, counter), used: describeUsed(budget, counter), period: budget.period },
      ...{ resets_at: resetsAt, where: `budgets/${position}` },
    });
    return { reason: message, cure, details: { code, where: `budgets/${position}`, resets_at: resetsAt } };
  }
}

function toKey(entry: BudgetEntry, source: UsageSource): string {
  return `${entry.position}\0${toSubject(entry, source).subject}`;
}

function toSubject({ budget }: BudgetEntry, source: UsageSource): Pick<Counter, 'subject' | 'name'> {
  switch (budget.per) {
    case 'person':
      return { subject: source.person_id, name: source.person };
    case 'token':
      return { subject: `${source.token} ${source.person_id}`, name: `${source.token_name} of ${source.person}` };
    case 'connection':
      return { subject: source.connection_id, name: source.connection };
    case 'hub':
      return { subject: 'hub', name: 'the hub' };
  }
}

/** The largest share that was used of any of the amounts. */
function getUsedShare({ calls, bytes, estimated_tokens: tokens }: UsageBudget, used: UsageAmount): number {
  return Math.max(
    calls === undefined ? 0 : used.calls / calls,
    bytes === undefined ? 0 : used.bytes / bytes,
    tokens === undefined ? 0 : toTokens(used.bytes) / tokens,
  );
}

function toState(budget: UsageBudget, used: UsageAmount): HubBudget['state'] {
  const share = getUsedShare(budget, used);
  if (share >= 1) return 'used_up';
  return share * 100 >= warningPercent ? 'warning' : 'ok';
}

function describeSubject({ per, tools }: UsageBudget, { name }: Counter): string {
  const subject = { person: name, token: `the token ${name}`, connection: `the connection ${name}`, hub: name }[per];
  return tools === undefined ? subject : `${subject} for ${tools}`;
}

/** The amount that is used up, as `100 of 100 calls`. */
function describeUsed({ calls, bytes, estimated_tokens: tokens }: UsageBudget, used: UsageAmount): string {
  if (calls !== undefined && used.calls >= calls) return `${used.calls} of ${calls} calls`;
  if (bytes !== undefined && used.bytes >= bytes) return `${used.bytes} of ${bytes} bytes`;
  return `${toTokens(used.bytes)} of ${tokens ?? 0} estimated tokens`;
}
