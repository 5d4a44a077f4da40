import { Type } from '@sinclair/typebox';
import { page } from '../contract/api.ts';
import { Grant } from '../contract/identity-api.ts';
import { route, type ServerRoute } from './route.ts';

/** Programs that act for the caller. */
export const grantRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/grants',
    operation: 'listGrants',
    summary: 'Programs that the caller allowed to act for them, newest first',
    action: 'self.manage',
    answer: page(Grant),
    handler: async ({ services, caller }) => ({
      items: await services.identity.oauth.grants(caller),
      next_cursor: null,
    }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/grants/{grant}',
    operation: 'endGrant',
    summary: 'End what a program was allowed; its tokens end at once',
    action: 'self.manage',
    params: Type.Object({ grant: Type.String({ maxLength: 100 }) }),
    handler: ({ services, caller, params }) => services.identity.oauth.endGrant(caller, params.grant),
  }),
];
