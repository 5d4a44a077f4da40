import { Type } from '@sinclair/typebox';
import { page } from '../contract/api.ts';
import {
  HubPolicy,
  HubPolicyTrial,
  HubPolicyTrialNew,
  HubPolicyWrite,
  HubTool,
  HubToolApproval,
} from '../contract/hub-policy-api.ts';
import type { Governance } from '../hub/governance.ts';
import { closed, momentMs } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const base = '/api/v1/hubs/{hub}';
const HubPath = Type.Object({ hub: Type.String({ minLength: 1, maxLength: 200 }) });
const policyLimitBytes = 1_048_576;

/** What a hub allows, and what its tools say of themselves. Members see it, owners change it. */
export function hubPolicyRoutes(governance: Governance): ServerRoute[] {
  return [
    route({
      method: 'GET',
      path: `${base}/policy`,
      operation: 'getHubPolicy',
      summary: 'What the hub allows',
      action: 'hub.act',
      params: HubPath,
      answer: HubPolicy,
      handler: ({ caller, params }) => governance.getPolicy(caller, params.hub),
    }),
    route({
      method: 'PUT',
      path: `${base}/policy`,
      operation: 'setHubPolicy',
      summary: 'Change what the hub allows, from the next call on (owners of the hub)',
      action: 'hub.act',
      params: HubPath,
      body: closed(HubPolicyWrite),
      bodyLimitBytes: policyLimitBytes,
      answer: HubPolicy,
      handler: ({ caller, params, body }) => governance.setPolicy(caller, params.hub, body),
    }),
    route({
      method: 'POST',
      path: `${base}/policy/trial`,
      operation: 'tryHubPolicy',
      summary: 'What a policy would have made of the calls of the last day, or since a moment (owners of the hub)',
      action: 'hub.act',
      params: HubPath,
      body: closed(HubPolicyTrialNew),
      bodyLimitBytes: policyLimitBytes,
      answer: HubPolicyTrial,
      handler: ({ caller, params, body: { document, since } }) =>
        governance.tryPolicy(caller, params.hub, document, momentMs('since', since)),
    }),
    route({
      method: 'GET',
      path: `${base}/tools`,
      operation: 'listHubTools',
      summary: 'The tools that the hub has seen, those held back first',
      action: 'hub.act',
      params: HubPath,
      answer: page(HubTool),
      handler: async ({ caller, params }) => ({
        items: await governance.tools(caller, params.hub),
        next_cursor: null,
      }),
    }),
    route({
      method: 'POST',
      path: `${base}/tools/approve`,
      operation: 'approveHubTool',
      summary: 'Let a tool be called that was held back, as its definition is now (owners of the hub)',
      action: 'hub.act',
      params: HubPath,
      body: closed(HubToolApproval),
      answer: HubTool,
      handler: ({ caller, params, body }) => governance.approveTool(caller, params.hub, body),
    }),
  ];
}
