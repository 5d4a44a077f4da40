import { pageSchema } from '../../contract/api.ts';
import {
  ApproveHubToolRequest,
  HubPolicy,
  HubPolicyTrialRequest,
  HubPolicyTrialResult,
  HubTool,
  HubToolQuery,
  UpdateHubPolicyRequest,
} from '../../contract/hubs/policy-api.ts';
import { HubToolVerification, VerifyHubToolRequest } from '../../contract/hubs/tool-verification-api.ts';
import { whileAuthorized } from '../access/while-authorized.ts';
import { closedSchema, HubPath, parseTimestampMs } from '../request-schemas.ts';
import { route, type ServerRoute, toSinglePage } from '../route.ts';
import { verifyHubTool } from './tool-verification.ts';

const hubPath = '/api/v1/hubs/{hub}';
const policyLimitBytes = 1_048_576;

/** Policy and tools of a hub. Members read them, owners change them. */
export const hubPolicyRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: `${hubPath}/policy`,
    operation: 'getHubPolicy',
    summary: 'The policy of a hub',
    action: 'hub.act',
    params: HubPath,
    response: HubPolicy,
    handler: ({ services, caller, params }) => services.hubGateway.governance.getPolicy(caller, params.hub),
  }),
  route({
    method: 'PUT',
    path: `${hubPath}/policy`,
    operation: 'setHubPolicy',
    summary: 'Change the policy of a hub, from the next call on (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(UpdateHubPolicyRequest),
    bodyLimitBytes: policyLimitBytes,
    response: HubPolicy,
    handler: ({ services, caller, params, body }) => services.hubGateway.governance.setPolicy(caller, params.hub, body),
  }),
  route({
    method: 'POST',
    path: `${hubPath}/policy/trial`,
    operation: 'tryHubPolicy',
    summary: 'How a policy would have decided the calls of the last day, or since a timestamp (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(HubPolicyTrialRequest),
    bodyLimitBytes: policyLimitBytes,
    response: HubPolicyTrialResult,
    handler: ({ services, caller, params, body: { document, since } }) =>
      services.hubGateway.governance.tryPolicy(caller, params.hub, document, parseTimestampMs('since', since)),
  }),
  route({
    method: 'GET',
    path: `${hubPath}/tools`,
    operation: 'listHubTools',
    summary: 'The definitions of the tools of a hub, or of its prompts, resources or templates; held ones first',
    action: 'hub.act',
    params: HubPath,
    query: HubToolQuery,
    response: pageSchema(HubTool),
    handler: async ({ services, caller, params, query }) =>
      toSinglePage(await services.hubGateway.governance.listTools(caller, params.hub, query)),
  }),
  route({
    method: 'POST',
    path: `${hubPath}/tools/approve`,
    operation: 'approveHubTool',
    summary: 'Approve the current definition of a held tool, prompt, resource or template (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(ApproveHubToolRequest),
    response: HubTool,
    handler: ({ services, caller, params, body }) =>
      services.hubGateway.governance.approveTool(caller, params.hub, body),
  }),
  route({
    method: 'POST',
    path: `${hubPath}/tools/verify`,
    operation: 'verifyHubTool',
    summary: 'Run the scenarios that call a tool against its waiting definition, and judge them (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(VerifyHubToolRequest),
    response: HubToolVerification,
    handler: ({ services, caller, params, body, whileConnected }) => {
      const verify = (signal: AbortSignal) => verifyHubTool(services, { ...body, caller, hub: params.hub }, signal);
      return whileConnected((signal) => whileAuthorized(services.identity, caller, signal, verify));
    },
  }),
];
