import { HubConnectionProbeResult, ProbeHubConnectionRequest } from '../../contract/hubs/connection-use-api.ts';
import { ConnectionPath, closedSchema, HubPath } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';

/** Probes of servers, before and after they are connected. */
export const hubProbeRoutes: readonly ServerRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/hubs/{hub}/connections/probe',
    operation: 'probeHubConnection',
    summary: 'What a server offers, within 10 s and without storing anything (those who may connect it)',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(ProbeHubConnectionRequest),
    response: HubConnectionProbeResult,
    handler: async ({ services, caller, params, body }) => {
      services.openCallLimiter.take(`probe ${caller.personId}`);
      return (await services.hubGateway.connectionTester()).probe(caller, params.hub, body);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/hubs/{hub}/connections/{connection}/probe',
    operation: 'probeKeptHubConnection',
    summary:
      'What the server of a connection offers now, with the connection’s credential; the hub adopts these lists of a connection that is enabled, and pins definitions (owners of the hub)',
    action: 'hub.act',
    params: ConnectionPath,
    response: HubConnectionProbeResult,
    handler: async ({ services, caller, params }) => {
      services.openCallLimiter.take(`probe ${caller.personId}`);
      return (await services.hubGateway.connectionTester()).probeStored({
        caller,
        slug: params.hub,
        ref: params.connection,
      });
    },
  }),
];
