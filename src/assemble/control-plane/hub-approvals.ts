/** Calls of hubs that wait for an approval. */
import { type ApprovalsService, createApprovalsService } from '../../hub/approvals/approval-decisions.ts';
import { ApprovalRequests } from '../../hub/approvals/approval-requests.ts';
import type { AuditLog } from '../../hub/audit/audit-log.ts';
import type { HubServices } from '../../hub/hub-services.ts';
import type { GovernanceService } from '../../hub/policy/governance-service.ts';
import type { Identity } from '../../identity/identity.ts';
import type { HubAuditDependencies } from './hub-audit.ts';

type ApprovalSources = Pick<HubAuditDependencies, 'control' | 'environment'> & {
  readonly identity: Pick<Identity, 'logSecurityEvent'>;
  readonly hub: Pick<HubServices, 'dataKey'>;
};

export type HubApprovals = { readonly requests: ApprovalRequests; readonly approvals: ApprovalsService };

export function openHubApprovals(
  { control, environment, hub, identity }: ApprovalSources,
  {
    audit,
    governance,
    onFault,
  }: {
    readonly audit: AuditLog;
    readonly governance: GovernanceService;
    readonly onFault: (fault: unknown) => void;
  },
): HubApprovals {
  const { database, clock } = control;
  const { dataKey } = hub;
  const shared = { database, audit, clock, dataKey };
  const requests = new ApprovalRequests({ ...shared, random: environment.random, onError: onFault });
  const { policy } = governance;
  const approvals = createApprovalsService({
    ...shared,
    requests,
    policy,
    logSecurityEvent: (event) => identity.logSecurityEvent(event),
  });
  return { requests, approvals };
}
