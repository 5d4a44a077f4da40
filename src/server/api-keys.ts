import { Type } from '@sinclair/typebox';
import { page } from '../contract/api.ts';
import { ApiKey, ApiKeyCreated, ApiKeyNew } from '../contract/identity-api.ts';
import { closed } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

/** The caller's keys for programs. */
export const apiKeyRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/api-keys',
    operation: 'listApiKeys',
    summary: 'The caller’s keys, newest first',
    action: 'self.manage',
    answer: page(ApiKey),
    handler: async ({ services, caller }) => ({
      items: await services.identity.apiKeys.list(caller),
      next_cursor: null,
    }),
  }),
  route({
    method: 'POST',
    path: '/api/v1/api-keys',
    operation: 'createApiKey',
    summary: 'Make a key with at most the caller’s role; it is shown this once',
    action: 'self.manage',
    body: closed(ApiKeyNew),
    answer: ApiKeyCreated,
    status: 201,
    handler: ({ services, caller, body }) => services.identity.apiKeys.make(caller, body),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/api-keys/{key}',
    operation: 'endApiKey',
    summary: 'End a key at once',
    action: 'self.manage',
    params: Type.Object({ key: Type.String({ maxLength: 100 }) }),
    handler: ({ services, caller, params }) => services.identity.apiKeys.end(caller, params.key),
  }),
];
