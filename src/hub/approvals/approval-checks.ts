/** What must hold in the store when a call is held, while it waits, and when an approval of it is used. */
import type { ApprovalRule } from '../../contract/hubs/policy-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type ApprovalRow, countPendingApprovals } from '../../store/control/hubs/approvals.ts';
import { findConnection } from '../../store/control/hubs/connections.ts';
import { findDefinitionPin } from '../../store/control/hubs/definition-pins.ts';
import { findMember, listMembers } from '../../store/control/hubs/members.ts';
import { findNewestPolicy } from '../../store/control/hubs/policies.ts';
import type { Sql } from '../../store/sql.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { builtInMemoryName } from '../connections/connection.ts';
import { toUpstreamConnection } from '../connections/credential.ts';
import { digestBinding, digestPinned } from './approval-binding.ts';
import { parseSubject, toCallerPrincipal } from './approval-record.ts';
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

/** What changed since the request, so that no call can use an approval of it. */
export function findChange(sql: Sql, row: ApprovalRow): string | undefined {
  const { connection_id: connectionId, pin: requestedPin } = parseSubject(row);
  const { policy_revision: policyRevision, tool } = row;
  if ((findNewestPolicy(sql, row.hub_id)?.revision ?? 0) !== policyRevision) return 'the policy has changed';
  const connection = findConnection(sql, connectionId);
  // The memory that a hub has without a connection.
  if (connectionId === builtInMemoryName && !connection) return undefined;
  if (!connection) return 'its server was removed';
  // Definitions of the memory service change only with this program.
  const isPinned = connection.kind !== 'memory';
  const pin = isPinned ? findDefinitionPin(sql, connectionId, 'tool', tool) : undefined;
  if (isPinned && (!pin || digestPinned(pin) !== requestedPin)) return 'the definition of the tool has changed';
  const call = { principal: toCallerPrincipal(row), connection: toUpstreamConnection(connection), tool };
  const binding = digestBinding(call, { policyRevision, pin: requestedPin }, row.call_digest);
  return binding === row.binding ? undefined : 'its server has changed';
}

/** Why an approved call may not be sent, as the store has it now. */
export function findUseProblem(sql: Sql, row: ApprovalRow, rules: readonly ApprovalRule[]): string | undefined {
  const change = findChange(sql, row);
  if (change !== undefined) return change;
  const approver = findMember(sql, row.hub_id, row.decided_by_id ?? '');
  const facts = approver && { ...approver, personId: approver.person_id };
  if (facts && isApprover(rules, facts, row.person_id)) return undefined;
  return `${row.decided_by} is no longer an approver`;
}
