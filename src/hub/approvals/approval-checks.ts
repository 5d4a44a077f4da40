/** What must hold in the store when a call is held, and when an approval of it is used. */
import type { ApprovalRule } from '../../contract/hubs/policy-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type ApprovalRow, countPendingApprovals } from '../../store/control/hubs/approvals.ts';
import { findMember, listMembers } from '../../store/control/hubs/members.ts';
import { findNewestPolicy } from '../../store/control/hubs/policies.ts';
import type { Sql } from '../../store/sql.ts';
import type { HubPrincipal } from '../types.ts';
import { isApprover } from './approval-rules.ts';

export const approvalLimits = { pendingPerPerson: 20, pendingPerHub: 200, callChars: 262_144 } as const;

/** Throws HUB_APPROVALS_LIMITED, HUB_APPROVER_MISSING. */
export function assertMayRequest(sql: Sql, { hub, person }: HubPrincipal, rules: readonly ApprovalRule[]): void {
  const { pendingPerPerson, pendingPerHub } = approvalLimits;
  if (countPendingApprovals(sql, hub.id, person.personId) >= pendingPerPerson)
    throw vpError('HUB_APPROVALS_LIMITED', { subject: person.name, max: pendingPerPerson });
  if (countPendingApprovals(sql, hub.id, undefined) >= pendingPerHub)
    throw vpError('HUB_APPROVALS_LIMITED', { subject: `the hub ${hub.slug}`, max: pendingPerHub });
  const members = listMembers(sql, hub.id).map(({ person_id, ...member }) => ({ ...member, personId: person_id }));
  if (!members.some((member) => isApprover(rules, member, person.personId))) throw vpError('HUB_APPROVER_MISSING', {});
}

/** What changed since the decision, as the store has it now. */
export function findUseProblem(sql: Sql, row: ApprovalRow, rules: readonly ApprovalRule[]): string | undefined {
  if ((findNewestPolicy(sql, row.hub_id)?.revision ?? 0) !== row.policy_revision) return 'the policy has changed';
  const approver = findMember(sql, row.hub_id, row.decided_by_id ?? '');
  const facts = approver && { ...approver, personId: approver.person_id };
  if (facts && isApprover(rules, facts, row.person_id)) return undefined;
  return `${row.decided_by} is no longer an approver`;
}
