import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import {
  CreateHubRequest,
  Hub,
  HubDetails,
  HubMember,
  RemoveHubMemberQuery,
  SetHubMemberRequest,
  UpdateHubRequest,
} from '../../contract/hubs/hubs-api.ts';
import { closedSchema, HubPath, PathName } from '../request-schemas.ts';
import { route, type ServerRoute, toSinglePage } from '../route.ts';

const hubsPath = '/api/v1/hubs';
const hubPath = `${hubsPath}/{hub}`;
const membersPath = `${hubPath}/members`;
const MemberPath = Type.Object({ hub: PathName, person: PathName });

const recordRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: hubsPath,
    operation: 'listHubs',
    summary: 'The caller’s hubs, by slug',
    action: 'hub.act',
    response: pageSchema(Hub),
    handler: async ({ services, caller }) => toSinglePage(await services.hub.hubs.list(caller)),
  }),
  route({
    method: 'POST',
    path: hubsPath,
    operation: 'createHub',
    summary: 'Create a hub; the caller becomes its owner',
    action: 'hub.create',
    body: closedSchema(CreateHubRequest),
    response: Hub,
    status: 201,
    handler: ({ services, caller, body }) => services.hub.hubs.create(caller, body),
  }),
  route({
    method: 'GET',
    path: hubPath,
    operation: 'getHub',
    summary: 'A hub of the caller, with its revision',
    action: 'hub.act',
    params: HubPath,
    response: HubDetails,
    handler: ({ services, caller, params }) => services.hub.hubs.get(caller, params.hub),
  }),
  route({
    method: 'PUT',
    path: hubPath,
    operation: 'changeHub',
    summary: 'Change the slug, name or tool list of a hub (owners of the hub); its tokens stay valid',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(UpdateHubRequest),
    response: Hub,
    handler: ({ services, caller, params, body }) => services.hub.hubs.change(caller, params.hub, body),
  }),
  route({
    method: 'DELETE',
    path: hubPath,
    operation: 'removeHub',
    summary: 'Remove a hub with its connections and tokens (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    handler: ({ services, caller, params }) => services.hub.hubs.remove(caller, params.hub),
  }),
];

const membershipRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: membersPath,
    operation: 'listHubMembers',
    summary: 'Members of a hub, by name',
    action: 'hub.act',
    params: HubPath,
    response: pageSchema(HubMember),
    handler: async ({ services, caller, params }) => toSinglePage(await services.hub.members.list(caller, params.hub)),
  }),
  route({
    method: 'PUT',
    path: `${membersPath}/{person}`,
    operation: 'putHubMember',
    summary: 'Add a person with an account to a hub, or change their role there (owners of the hub)',
    action: 'hub.act',
    params: MemberPath,
    body: closedSchema(SetHubMemberRequest),
    response: HubMember,
    handler: ({ services, caller, params, body }) =>
      services.hub.members.put(caller, params.hub, params.person, body.role, body.if_role),
  }),
  route({
    method: 'DELETE',
    path: `${membersPath}/{person}`,
    operation: 'removeHubMember',
    summary: 'Remove a member (owners of the hub); the next call of their tokens is refused',
    action: 'hub.act',
    params: MemberPath,
    query: RemoveHubMemberQuery,
    handler: ({ services, caller, params, query }) =>
      services.hub.members.remove(caller, params.hub, params.person, query.if_role),
  }),
  route({
    method: 'POST',
    path: `${hubPath}/leave`,
    operation: 'leaveHub',
    summary: 'Leave the hub; the next call of the caller’s tokens is refused',
    action: 'hub.act',
    params: HubPath,
    handler: ({ services, caller, params }) => services.hub.members.leave(caller, params.hub),
  }),
];

/** Hubs and their members. */
export const hubRoutes: readonly ServerRoute[] = [...recordRoutes, ...membershipRoutes];
