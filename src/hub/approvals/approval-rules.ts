/** Who may decide a call that a rule of the policy holds, and for how long. */
import type { ApprovalRule } from '../../contract/hubs/policy-api.ts';
import type { HubRole } from '../access/principal.ts';

export type ApproverFacts = { readonly personId: string; readonly email: string; readonly role: HubRole };

const defaultValidSeconds = 3600;
/** Shorter than the usual timeout of clients, which is a minute. */
const defaultHoldSeconds = 45;

/** An approver by each of the rules, and never the person whose call it is, whatever token or client they use. */
export function isApprover(
  rules: readonly ApprovalRule[],
  { personId, email, role }: ApproverFacts,
  callerPersonId: string,
): boolean {
  if (personId === callerPersonId || rules.length === 0) return false;
  return rules.every((rule) => isNamed(rule, personId, email) || getRoles(rule).includes(role));
}

/** Whether the person may decide calls of anybody at all. */
export function canApprove(rules: readonly ApprovalRule[], approver: ApproverFacts): boolean {
  return rules.some((rule) => isApprover([rule], approver, ''));
}

/** People choose their names themselves, so that a name proves nothing. */
function isNamed({ people = [] }: ApprovalRule, personId: string, email: string): boolean {
  return people.some((name) => name === personId || name.toLowerCase() === email.toLowerCase());
}

function getRoles({ roles, people }: ApprovalRule): readonly HubRole[] {
  return roles ?? (people ? [] : ['owner']);
}

export function getApprovalTimes(rules: readonly ApprovalRule[]): {
  readonly validMs: number;
  readonly holdMs: number;
} {
  return {
    validMs: Math.min(...rules.map(({ valid_s: seconds = defaultValidSeconds }) => seconds)) * 1000,
    holdMs: Math.min(...rules.map(({ hold_s: seconds = defaultHoldSeconds }) => seconds)) * 1000,
  };
}
