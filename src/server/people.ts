import { Type } from '@sinclair/typebox';
import { page } from '../contract/api.ts';
import { Person, PersonChange } from '../contract/identity-api.ts';
import { closed } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const PersonPath = Type.Object({ person: Type.String({ maxLength: 100 }) });

/** People with accounts. */
export const peopleRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/people',
    operation: 'listPeople',
    summary: 'Everybody with an account, by name',
    action: 'person.read',
    answer: page(Person),
    handler: async ({ services }) => ({ items: await services.identity.people.list(), next_cursor: null }),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/people/{person}',
    operation: 'changePerson',
    summary: 'Give another role, which holds at once; the last owner stays one',
    action: 'person.manage',
    params: PersonPath,
    body: closed(PersonChange),
    answer: Person,
    handler: ({ services, caller, params, body }) =>
      services.identity.people.changeRole(caller, params.person, body.role),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/people/{person}',
    operation: 'removePerson',
    summary: 'Remove an account with its sessions, keys and grants; what it wrote stays',
    action: 'person.manage',
    params: PersonPath,
    handler: ({ services, caller, params }) => services.identity.people.remove(caller, params.person),
  }),
];
