import { Type } from '@sinclair/typebox';
import { page } from '../contract/api.ts';
import { HubCommands, HubConnection, HubConnectionChange, HubConnectionNew } from '../contract/hub-api.ts';
import { closed } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const all = '/api/v1/hubs/{hub}/connections';
const one = `${all}/{connection}`;
const Ref = Type.String({ minLength: 1, maxLength: 200 });
const HubPath = Type.Object({ hub: Ref });
const ConnectionPath = Type.Object({ hub: Ref, connection: Ref });

/** Connections of a hub to upstream tool servers. */
export const hubConnectionRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: all,
    operation: 'listHubConnections',
    summary: 'The connections of a hub, by name',
    action: 'hub.act',
    params: HubPath,
    answer: page(HubConnection),
    handler: async ({ services, caller, params }) => ({
      items: await services.hub.connections.list(caller, params.hub),
      next_cursor: null,
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/hubs/{hub}/commands',
    operation: 'listHubCommands',
    summary: 'The operator’s programs that connections may run, without what is secret of them (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    answer: HubCommands,
    handler: ({ services, caller, params }) => services.hub.connections.commands(caller, params.hub),
  }),
  route({
    method: 'POST',
    path: all,
    operation: 'addHubConnection',
    summary: 'Connect a tool server (owners of the hub; a program on this machine: owners of the control plane too)',
    action: 'hub.act',
    params: HubPath,
    body: closed(HubConnectionNew),
    answer: HubConnection,
    status: 201,
    handler: ({ services, caller, params, body }) => services.hub.connections.add(caller, params.hub, body),
  }),
  route({
    method: 'GET',
    path: one,
    operation: 'getHubConnection',
    summary: 'A connection, by its id or its name; never with what is secret of it',
    action: 'hub.act',
    params: ConnectionPath,
    answer: HubConnection,
    handler: ({ services, caller, params }) => services.hub.connections.get(caller, params.hub, params.connection),
  }),
  route({
    method: 'PUT',
    path: one,
    operation: 'changeHubConnection',
    summary:
      'Change a connection (owners of the hub); what is left out stays, but a credential follows to no other host',
    action: 'hub.act',
    params: ConnectionPath,
    body: closed(HubConnectionChange),
    answer: HubConnection,
    handler: ({ services, caller, params, body }) =>
      services.hub.connections.change(caller, params.hub, params.connection, body),
  }),
  route({
    method: 'DELETE',
    path: one,
    operation: 'removeHubConnection',
    summary: 'Remove a connection with its credential (owners of the hub)',
    action: 'hub.act',
    params: ConnectionPath,
    handler: ({ services, caller, params }) => services.hub.connections.remove(caller, params.hub, params.connection),
  }),
];
