/** Converts budgets to form fields and back. */
import type { UsageBudget } from '../../../contract/hubs/policy-api.ts';

/** Numbers are text; empty ones are omitted. */
export type BudgetDraft = {
  readonly per: UsageBudget['per'];
  readonly period: UsageBudget['period'];
  readonly tools: string;
  readonly calls: string;
  readonly mebibytes: string;
  readonly tokens: string;
};

const bytesPerMebibyte = 1_048_576;
const formatNumber = (value: number | undefined): string => (value === undefined ? '' : String(value));

export function toBudgetDraft({ per, period, tools = '', calls, bytes, estimated_tokens }: UsageBudget): BudgetDraft {
  const mebibytes = formatNumber(bytes === undefined ? undefined : bytes / bytesPerMebibyte);
  return { per, period, tools, calls: formatNumber(calls), mebibytes, tokens: formatNumber(estimated_tokens) };
}

export function toUsageBudget({ per, period, tools, calls, mebibytes, tokens }: BudgetDraft): UsageBudget {
  return {
    per,
    period,
    ...(tools === '' ? {} : { tools }),
    ...(calls === '' ? {} : { calls: Number(calls) }),
    ...(mebibytes === '' ? {} : { bytes: Math.round(Number(mebibytes) * bytesPerMebibyte) }),
    ...(tokens === '' ? {} : { estimated_tokens: Number(tokens) }),
  };
}

/** The number of the first budget without an amount, from 1; undefined if all have one. */
export function findEmptyBudget(drafts: readonly BudgetDraft[]): number | undefined {
  const index = drafts.findIndex(({ calls, mebibytes, tokens }) => `${calls}${mebibytes}${tokens}` === '');
  return index === -1 ? undefined : index + 1;
}
