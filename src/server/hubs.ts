import { Type } from '@sinclair/typebox';
import { page } from '../contract/api.ts';
import { Hub, HubChange, HubMember, HubMemberWrite, HubNew } from '../contract/hub-api.ts';
import { closed } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const all = '/api/v1/hubs';
const one = `${all}/{hub}`;
const members = `${one}/members`;
const Ref = Type.String({ minLength: 1, maxLength: 200 });
const HubPath = Type.Object({ hub: Ref });
const MemberPath = Type.Object({ hub: Ref, person: Ref });

const records: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: all,
    operation: 'listHubs',
    summary: 'The hubs that the caller belongs to, by slug',
    action: 'hub.act',
    answer: page(Hub),
    handler: async ({ services, caller }) => ({ items: await services.hub.hubs.list(caller), next_cursor: null }),
  }),
  route({
    method: 'POST',
    path: all,
    operation: 'createHub',
    summary: 'Make a hub; the caller becomes its owner',
    action: 'hub.create',
    body: closed(HubNew),
    answer: Hub,
    status: 201,
    handler: ({ services, caller, body }) => services.hub.hubs.create(caller, body),
  }),
  route({
    method: 'GET',
    path: one,
    operation: 'getHub',
    summary: 'A hub that the caller belongs to',
    action: 'hub.act',
    params: HubPath,
    answer: Hub,
    handler: ({ services, caller, params }) => services.hub.hubs.get(caller, params.hub),
  }),
  route({
    method: 'PUT',
    path: one,
    operation: 'changeHub',
    summary: 'Give a hub another slug or name (owners of the hub); its tokens go on',
    action: 'hub.act',
    params: HubPath,
    body: closed(HubChange),
    answer: Hub,
    handler: ({ services, caller, params, body }) => services.hub.hubs.change(caller, params.hub, body),
  }),
  route({
    method: 'DELETE',
    path: one,
    operation: 'removeHub',
    summary: 'Remove a hub with its connections and tokens (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    handler: ({ services, caller, params }) => services.hub.hubs.remove(caller, params.hub),
  }),
];

const memberships: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: members,
    operation: 'listHubMembers',
    summary: 'Who belongs to a hub, by name',
    action: 'hub.act',
    params: HubPath,
    answer: page(HubMember),
    handler: async ({ services, caller, params }) => ({
      items: await services.hub.members.list(caller, params.hub),
      next_cursor: null,
    }),
  }),
  route({
    method: 'PUT',
    path: `${members}/{person}`,
    operation: 'putHubMember',
    summary: 'Add somebody with an account to a hub, or give them another role there (owners of the hub)',
    action: 'hub.act',
    params: MemberPath,
    body: closed(HubMemberWrite),
    answer: HubMember,
    handler: ({ services, caller, params, body }) =>
      services.hub.members.put(caller, params.hub, params.person, body.role),
  }),
  route({
    method: 'DELETE',
    path: `${members}/{person}`,
    operation: 'removeHubMember',
    summary: 'End somebody’s membership (owners of the hub); the next call of their tokens is refused',
    action: 'hub.act',
    params: MemberPath,
    handler: ({ services, caller, params }) => services.hub.members.remove(caller, params.hub, params.person),
  }),
  route({
    method: 'POST',
    path: `${one}/leave`,
    operation: 'leaveHub',
    summary: 'End the caller’s own membership; the next call of their tokens is refused',
    action: 'hub.act',
    params: HubPath,
    handler: ({ services, caller, params }) => services.hub.members.leave(caller, params.hub),
  }),
];

/** Hubs and who belongs to them. */
export const hubRoutes: readonly ServerRoute[] = [...records, ...memberships];
