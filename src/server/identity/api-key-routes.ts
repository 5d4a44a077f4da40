import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import { ApiKey, CreateApiKeyRequest, CreateApiKeyResponse } from '../../contract/identity-api.ts';
import { closedSchema } from '../request-schemas.ts';
import { route, type ServerRoute, toSinglePage } from '../route.ts';

/** The caller's API keys. */
export const apiKeyRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/api-keys',
    operation: 'listApiKeys',
    summary: 'The caller’s API keys, newest first',
    action: 'self.manage',
    response: pageSchema(ApiKey),
    handler: async ({ services, caller }) => toSinglePage(await services.identity.apiKeys.list(caller)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/api-keys',
    operation: 'createApiKey',
    summary: 'Create an API key with at most the caller’s role; it is returned only here',
    action: 'self.manage',
    body: closedSchema(CreateApiKeyRequest),
    response: CreateApiKeyResponse,
    status: 201,
    handler: ({ services, caller, body }) => services.identity.apiKeys.create(caller, body),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/api-keys/{key}',
    operation: 'endApiKey',
    summary: 'Revoke an API key at once',
    action: 'self.manage',
    params: Type.Object({ key: Type.String({ maxLength: 100 }) }),
    handler: ({ services, caller, params }) => services.identity.apiKeys.revoke(caller, params.key),
  }),
];
