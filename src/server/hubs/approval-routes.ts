import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import {
  DecideHubApprovalRequest,
  HubApproval,
  HubApprovalDetails,
  HubApprovalQuery,
} from '../../contract/hubs/approvals-api.ts';
import { closedSchema, HubPath } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';

const approvalsPath = '/api/v1/hubs/{hub}/approvals';
const ApprovalPath = Type.Composite([HubPath, Type.Object({ approval: Type.String({ minLength: 1, maxLength: 40 }) })]);

/** Calls that wait for an approval: approvers decide them, callers see their own, owners of the hub see all. */
export const hubApprovalRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: approvalsPath,
    operation: 'listHubApprovals',
    summary: 'Calls that wait for an approval, newest first; with `state=all` also those that were decided',
    action: 'hub.act',
    params: HubPath,
    query: HubApprovalQuery,
    response: pageSchema(HubApproval),
    handler: async ({ services, caller, params, query }) => ({
      items: await services.hubGateway.approvals.list(caller, params.hub, query),
      next_cursor: null,
    }),
  }),
  route({
    method: 'GET',
    path: `${approvalsPath}/{approval}`,
    operation: 'getHubApproval',
    summary: 'A call that waits for an approval, with all that its server would get',
    action: 'hub.act',
    params: ApprovalPath,
    response: HubApprovalDetails,
    handler: ({ services, caller, params }) => services.hubGateway.approvals.get(caller, params.hub, params.approval),
  }),
  route({
    method: 'POST',
    path: `${approvalsPath}/{approval}`,
    operation: 'decideHubApproval',
    summary: 'Approve or deny exactly this call, once (approvers that the policy of the hub names, never the caller)',
    action: 'hub.act',
    params: ApprovalPath,
    body: closedSchema(DecideHubApprovalRequest),
    response: HubApprovalDetails,
    handler: ({ services, caller, params, body }) =>
      services.hubGateway.approvals.decide(caller, params.hub, params.approval, body),
  }),
];
