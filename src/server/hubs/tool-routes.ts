import { CallHubToolRequest, CallHubToolResponse, OfferedHubTools } from '../../contract/hubs/connection-use-api.ts';
import { closedSchema, HubPath } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';

const callLimitBytes = 1_048_576;

/** Calling tools of a hub by hand, as the signed-in person. */
export const hubToolRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/hubs/{hub}/tools/offered',
    operation: 'listOfferedHubTools',
    summary: 'The tools that the caller’s clients see (members of the hub)',
    action: 'hub.act',
    params: HubPath,
    response: OfferedHubTools,
    handler: async ({ services, caller, params }) =>
      (await services.hubGateway.connectionTester()).listTools(caller, params.hub),
  }),
  route({
    method: 'POST',
    path: '/api/v1/hubs/{hub}/tools/call',
    operation: 'callHubTool',
    summary:
      'Call a tool like a client of the caller: the policy applies, and the audit records it (members of the hub)',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(CallHubToolRequest),
    bodyLimitBytes: callLimitBytes,
    response: CallHubToolResponse,
    handler: async ({ services, caller, params, body, request }) => {
      const requestBytes = Number(request.headers.get('content-length') ?? 0);
      return (await services.hubGateway.connectionTester()).call(caller, params.hub, body, {
        signal: request.signal,
        requestBytes,
      });
    },
  }),
];
