/** Converts rules for approvals to form fields and back. */
import type { ApprovalRule } from '../../../contract/hubs/policy-api.ts';

/** `minutes` is text; empty ones are omitted. */
export type ApprovalRuleDraft = {
  readonly tools: string;
  readonly roles: ApprovalRule['roles'];
  readonly people: readonly string[];
  readonly minutes: string;
  readonly holdSeconds: string;
};

const secondsPerMinute = 60;
const formatNumber = (value: number | undefined): string => (value === undefined ? '' : String(value));

export function toApprovalRuleDraft({ tools, roles, people = [], valid_s, hold_s }: ApprovalRule): ApprovalRuleDraft {
  const minutes = formatNumber(valid_s === undefined ? undefined : valid_s / secondsPerMinute);
  return { tools, roles, people, minutes, holdSeconds: formatNumber(hold_s) };
}

export function toApprovalRule({ tools, roles, people, minutes, holdSeconds }: ApprovalRuleDraft): ApprovalRule {
  return {
    tools,
    ...(roles ? { roles: [...roles] } : {}),
    ...(people.length === 0 ? {} : { people: [...people] }),
    ...(minutes === '' ? {} : { valid_s: Math.round(Number(minutes) * secondsPerMinute) }),
    ...(holdSeconds === '' ? {} : { hold_s: Number(holdSeconds) }),
  };
}
