import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import { Grant } from '../../contract/identity-api.ts';
import { route, type ServerRoute, toSinglePage } from '../route.ts';

/** OAuth clients that act for the caller. */
export const grantRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/grants',
    operation: 'listGrants',
    summary: 'OAuth clients that the caller allowed to act for them, newest first',
    action: 'self.manage',
    response: pageSchema(Grant),
    handler: async ({ services, caller }) => toSinglePage(await services.identity.oauth.listGrants(caller)),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/grants/{grant}',
    operation: 'endGrant',
    summary: 'Revoke a grant; its tokens are revoked at once',
    action: 'self.manage',
    params: Type.Object({ grant: Type.String({ maxLength: 100 }) }),
    handler: ({ services, caller, params }) => services.identity.oauth.revokeGrant(caller, params.grant),
  }),
];
