import { pageSchema } from '../../contract/api.ts';
import {
  CreateHubConnectionRequest,
  HubCommandList,
  HubConnection,
  UpdateHubConnectionRequest,
} from '../../contract/hubs/hubs-api.ts';
import { ConnectionPath, closedSchema, HubPath } from '../request-schemas.ts';
import { route, type ServerRoute, toSinglePage } from '../route.ts';

const connectionsPath = '/api/v1/hubs/{hub}/connections';
const connectionPath = `${connectionsPath}/{connection}`;

/** Connections of a hub to upstream tool servers. */
export const hubConnectionRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: connectionsPath,
    operation: 'listHubConnections',
    summary: 'The connections of a hub, by name',
    action: 'hub.act',
    params: HubPath,
    response: pageSchema(HubConnection),
    handler: async ({ services, caller, params }) =>
      toSinglePage(await services.hub.connections.list(caller, params.hub)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/hubs/{hub}/commands',
    operation: 'listHubCommands',
    summary: 'The operator’s commands that connections may run, without their secrets (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    response: HubCommandList,
    handler: ({ services, caller, params }) => services.hub.connections.commands(caller, params.hub),
  }),
  route({
    method: 'POST',
    path: connectionsPath,
    operation: 'addHubConnection',
    summary: 'Connect a tool server (owners of the hub; commands on this machine: owners of the control plane too)',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(CreateHubConnectionRequest),
    response: HubConnection,
    status: 201,
    handler: ({ services, caller, params, body }) => services.hub.connections.add(caller, params.hub, body),
  }),
  route({
    method: 'GET',
    path: connectionPath,
    operation: 'getHubConnection',
    summary: 'A connection, by its id or its name; never with its secrets',
    action: 'hub.act',
    params: ConnectionPath,
    response: HubConnection,
    handler: ({ services, caller, params }) => services.hub.connections.get(caller, params.hub, params.connection),
  }),
  route({
    method: 'PUT',
    path: connectionPath,
    operation: 'changeHubConnection',
    summary:
      'Update a connection (owners of the hub); omitted members are unchanged, but a new host drops the credential',
    action: 'hub.act',
    params: ConnectionPath,
    body: closedSchema(UpdateHubConnectionRequest),
    response: HubConnection,
    handler: ({ services, caller, params, body }) =>
      services.hub.connections.change(caller, params.hub, params.connection, body),
  }),
  route({
    method: 'DELETE',
    path: connectionPath,
    operation: 'removeHubConnection',
    summary: 'Remove a connection with its credential (owners of the hub)',
    action: 'hub.act',
    params: ConnectionPath,
    handler: ({ services, caller, params }) => services.hub.connections.remove(caller, params.hub, params.connection),
  }),
];
