/** Calls of hubs that wait for an approval. */
import { type ApprovalsService, createApprovalsService } from '../../hub/approvals/approval-decisions.ts';
import { ApprovalRequests } from '../../hub/approvals/approval-requests.ts';
import type { AuditLog } from '../../hub/audit/audit-log.ts';
import type { HubServices } from '../../hub/hub-services.ts';
import type { GovernanceService } from '../../hub/policy/governance-service.ts';
import type { Identity } from '../../identity/identity.ts';
import { type ApprovalWebhook, createApprovalNotifier } from './approval-webhook.ts';
import type { HubAuditDependencies } from './hub-audit.ts';

export type ApprovalSources = Pick<HubAuditDependencies, 'control' | 'environment'> & {
  /** Hears of calls that wait. */
  readonly approvalWebhook?: ApprovalWebhook | undefined;
  /** URL of this control plane for people. */
  readonly address: () => string;
  readonly identity: Pick<Identity, 'logSecurityEvent'>;
  readonly hub: Pick<HubServices, 'dataKey'>;
};

export type HubApprovals = { readonly requests: ApprovalRequests; readonly approvals: ApprovalsService };

export function openHubApprovals(
  { control, environment, hub, identity, approvalWebhook, address }: ApprovalSources,
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
  const { random, variables } = environment;
  const webhookDependencies = { clock, variables, address, onError: onFault };
  const onRequested = approvalWebhook && createApprovalNotifier(approvalWebhook, webhookDependencies);
  const requests = new ApprovalRequests({ ...shared, random, onRequested, onError: onFault });
  const { policy } = governance;
  const approvals = createApprovalsService({
    ...shared,
    requests,
    policy,
    logSecurityEvent: (event) => identity.logSecurityEvent(event),
  });
  return { requests, approvals };
}
