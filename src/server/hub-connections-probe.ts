import { Type } from '@sinclair/typebox';
import { HubConnectionProbe, HubConnectionProbed } from '../contract/hub-connect-api.ts';
import type { ConnectionsInUse } from '../hub/connections-in-use.ts';
import { closed } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const Ref = Type.String({ minLength: 1, maxLength: 200 });
const HubPath = Type.Object({ hub: Ref });
const ConnectionPath = Type.Object({ hub: Ref, connection: Ref });

/** A look at servers, before they are connections and afterwards. */
export function hubProbeRoutes(inUse: () => Promise<ConnectionsInUse>): ServerRoute[] {
  return [
    route({
      method: 'POST',
      path: '/api/v1/hubs/{hub}/connections/probe',
      operation: 'probeHubConnection',
      summary: 'What a server offers, within 10 s and without keeping anything (those who may connect it)',
      action: 'hub.act',
      params: HubPath,
      body: closed(HubConnectionProbe),
      answer: HubConnectionProbed,
      handler: async ({ services, caller, params, body }) => {
        services.openCalls.take(`probe ${caller.personId}`);
        return (await inUse()).probe(caller, params.hub, body);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/hubs/{hub}/connections/{connection}/probe',
      operation: 'probeKeptHubConnection',
      summary: 'What the server of a connection offers now, with the connection’s credential (owners of the hub)',
      action: 'hub.act',
      params: ConnectionPath,
      answer: HubConnectionProbed,
      handler: async ({ services, caller, params }) => {
        services.openCalls.take(`probe ${caller.personId}`);
        return (await inUse()).probeKept({ caller, slug: params.hub, ref: params.connection });
      },
    }),
  ];
}
