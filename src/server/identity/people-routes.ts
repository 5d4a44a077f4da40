import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import { ChangeRoleRequest, Person } from '../../contract/identity-api.ts';
import { closedSchema } from '../request-schemas.ts';
import { route, type ServerRoute, toSinglePage } from '../route.ts';

const PersonPath = Type.Object({ person: Type.String({ maxLength: 100 }) });

export const peopleRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/people',
    operation: 'listPeople',
    summary: 'All people with an account, by name',
    action: 'person.read',
    response: pageSchema(Person),
    handler: async ({ services }) => toSinglePage(await services.identity.people.list()),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/people/{person}',
    operation: 'changePerson',
    summary: 'Change a person’s role, effective at once; the last owner cannot be changed',
    action: 'person.manage',
    params: PersonPath,
    body: closedSchema(ChangeRoleRequest),
    response: Person,
    handler: ({ services, caller, params, body }) =>
      services.identity.people.changeRole(caller, params.person, body.role),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/people/{person}',
    operation: 'removePerson',
    summary: 'Remove an account with its sessions, keys and grants; what the person wrote stays',
    action: 'person.manage',
    params: PersonPath,
    handler: ({ services, caller, params }) => services.identity.people.remove(caller, params.person),
  }),
];
