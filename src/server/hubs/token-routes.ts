import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import {
  CreateHubTokenRequest,
  HubToken,
  HubTokenWithSecret,
  RotateHubTokenRequest,
  UpdateHubTokenRequest,
} from '../../contract/hubs/hubs-api.ts';
import { closedSchema, HubPath, PathName } from '../request-schemas.ts';
import { route, type ServerRoute, toSinglePage } from '../route.ts';

const tokensPath = '/api/v1/hub-tokens';
const hubTokensPath = '/api/v1/hubs/{hub}/tokens';
const TokenPath = Type.Object({ token: PathName });

export const hubTokenRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: tokensPath,
    operation: 'listOwnHubTokens',
    summary: 'The caller’s personal access tokens in all hubs, newest first, including hubs that they left',
    action: 'hub.act',
    response: pageSchema(HubToken),
    handler: async ({ services, caller }) => toSinglePage(await services.hub.tokens.listOwn(caller)),
  }),
  route({
    method: 'GET',
    path: hubTokensPath,
    operation: 'listHubTokens',
    summary: 'The caller’s personal access tokens of a hub, newest first; owners of the hub see all tokens',
    action: 'hub.act',
    params: HubPath,
    response: pageSchema(HubToken),
    handler: async ({ services, caller, params }) =>
      toSinglePage(await services.hub.tokens.listForHub(caller, params.hub)),
  }),
  route({
    method: 'POST',
    path: hubTokensPath,
    operation: 'createHubToken',
    summary: 'Create a personal access token for this hub and the caller; not with an API key',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(CreateHubTokenRequest),
    response: HubTokenWithSecret,
    status: 201,
    handler: ({ services, caller, params, body }) => services.hub.tokens.create(caller, params.hub, body),
  }),
  route({
    method: 'PUT',
    path: `${tokensPath}/{token}`,
    operation: 'changeHubToken',
    summary: 'Change whether clients with a token of the caller’s list all tools, or search for them',
    action: 'hub.act',
    params: TokenPath,
    body: closedSchema(UpdateHubTokenRequest),
    response: HubToken,
    handler: ({ services, caller, params, body }) => services.hub.tokens.change(caller, params.token, body),
  }),
  route({
    method: 'POST',
    path: `${tokensPath}/{token}/reveal`,
    operation: 'revealHubToken',
    summary: 'Show a token of the caller’s again, within 10 minutes of signing in; not with an API key',
    action: 'hub.act',
    params: TokenPath,
    response: HubTokenWithSecret,
    handler: ({ services, caller, params, address }) => services.hub.tokens.reveal(caller, params.token, address),
  }),
  route({
    method: 'POST',
    path: `${tokensPath}/{token}/rotate`,
    operation: 'rotateHubToken',
    summary:
      'Create a new token under the same id; the old one is revoked at once, or after the grace period; not with an API key',
    action: 'hub.act',
    params: TokenPath,
    body: closedSchema(RotateHubTokenRequest),
    response: HubTokenWithSecret,
    status: 201,
    handler: ({ services, caller, params, body }) => services.hub.tokens.rotate(caller, params.token, body),
  }),
  route({
    method: 'DELETE',
    path: `${tokensPath}/{token}`,
    operation: 'endHubToken',
    summary: 'Revoke a token at once: the caller’s own, or any token of a hub that they own',
    action: 'hub.act',
    params: TokenPath,
    handler: ({ services, caller, params }) => services.hub.tokens.revoke(caller, params.token),
  }),
];
