import { Type } from '@sinclair/typebox';
import { HubToolCall, HubToolCalled, HubToolsOffered } from '../contract/hub-connect-api.ts';
import type { ConnectionsInUse } from '../hub/connections-in-use.ts';
import { closed } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const HubPath = Type.Object({ hub: Type.String({ minLength: 1, maxLength: 200 }) });
const callLimitBytes = 1_048_576;

/** Tools of a hub, called by hand as the signed-in person. */
export function hubTryRoutes(inUse: () => Promise<ConnectionsInUse>): ServerRoute[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/hubs/{hub}/tools/offered',
      operation: 'listOfferedHubTools',
      summary: 'The tools that the caller’s clients are offered (members of the hub)',
      action: 'hub.act',
      params: HubPath,
      answer: HubToolsOffered,
      handler: async ({ caller, params }) => (await inUse()).offered(caller, params.hub),
    }),
    route({
      method: 'POST',
      path: '/api/v1/hubs/{hub}/tools/call',
      operation: 'callHubTool',
      summary: 'Call a tool as a client of the caller would: the policy decides, the audit has it (members of the hub)',
      action: 'hub.act',
      params: HubPath,
      body: closed(HubToolCall),
      bodyLimitBytes: callLimitBytes,
      answer: HubToolCalled,
      handler: async ({ caller, params, body, request }) => {
        const requestBytes = Number(request.headers.get('content-length') ?? 0);
        return (await inUse()).call(caller, params.hub, body, { signal: request.signal, requestBytes });
      },
    }),
  ];
}
