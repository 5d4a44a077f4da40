/** Budgets in words, for the console and the command line. */
import type { UsageBudget } from './policy-api.ts';
import type { HubBudget } from './usage-api.ts';

const subjects = { person: 'each person', token: 'each token', connection: 'each connection', hub: 'the hub' } as const;

/** As in `each person a day, for mail__*`. */
export function describeBudgetPart({ per, period, tools }: UsageBudget): string {
  return `${subjects[per]} a ${period}${tools === undefined ? '' : `, for ${tools}`}`;
}

/** As in `3 of 10 calls, 5 of 100 tokens`. */
export function describeBudgetAmounts({ budget, calls, bytes, estimated_tokens: tokens }: HubBudget): string {
  const amounts = [
    { used: calls, max: budget.calls, unit: 'calls' },
    { used: bytes, max: budget.bytes, unit: 'bytes' },
    { used: tokens, max: budget.estimated_tokens, unit: 'tokens' },
  ];
  return amounts.flatMap(({ used, max, unit }) => (max === undefined ? [] : `${used} of ${max} ${unit}`)).join(', ');
}
