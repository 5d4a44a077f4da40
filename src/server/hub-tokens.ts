import { Type } from '@sinclair/typebox';
import { page } from '../contract/api.ts';
import { HubToken, HubTokenNew, HubTokenRotate, HubTokenShown } from '../contract/hub-api.ts';
import { closed } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const own = '/api/v1/hub-tokens';
const ofHub = '/api/v1/hubs/{hub}/tokens';
const Ref = Type.String({ minLength: 1, maxLength: 200 });
const HubPath = Type.Object({ hub: Ref });
const TokenPath = Type.Object({ token: Ref });

/** Personal access tokens: each for one hub and one person. */
export const hubTokenRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: own,
    operation: 'listOwnHubTokens',
    summary: 'The caller’s personal access tokens in all hubs, newest first, also of hubs that they left',
    action: 'hub.act',
    answer: page(HubToken),
    handler: async ({ services, caller }) => ({ items: await services.hub.tokens.listOwn(caller), next_cursor: null }),
  }),
  route({
    method: 'GET',
    path: ofHub,
    operation: 'listHubTokens',
    summary: 'The caller’s personal access tokens of a hub, newest first; owners of the hub see everybody’s',
    action: 'hub.act',
    params: HubPath,
    answer: page(HubToken),
    handler: async ({ services, caller, params }) => ({
      items: await services.hub.tokens.listOfHub(caller, params.hub),
      next_cursor: null,
    }),
  }),
  route({
    method: 'POST',
    path: ofHub,
    operation: 'createHubToken',
    summary: 'Make a personal access token for this hub and the caller alone; not with an API key',
    action: 'hub.act',
    params: HubPath,
    body: closed(HubTokenNew),
    answer: HubTokenShown,
    status: 201,
    handler: ({ services, caller, params, body }) => services.hub.tokens.make(caller, params.hub, body),
  }),
  route({
    method: 'POST',
    path: `${own}/{token}/reveal`,
    operation: 'revealHubToken',
    summary: 'Show a token of the caller’s again, within 10 minutes of signing in; not with an API key',
    action: 'hub.act',
    params: TokenPath,
    answer: HubTokenShown,
    handler: ({ services, caller, params, address }) => services.hub.tokens.reveal(caller, params.token, address),
  }),
  route({
    method: 'POST',
    path: `${own}/{token}/rotate`,
    operation: 'rotateHubToken',
    summary:
      'Make a new token under the same id; the old one ends at once, or after the given grace; not with an API key',
    action: 'hub.act',
    params: TokenPath,
    body: closed(HubTokenRotate),
    answer: HubTokenShown,
    status: 201,
    handler: ({ services, caller, params, body }) => services.hub.tokens.rotate(caller, params.token, body),
  }),
  route({
    method: 'DELETE',
    path: `${own}/{token}`,
    operation: 'endHubToken',
    summary: 'End a token at once: the caller’s own, or anybody’s of a hub that they own',
    action: 'hub.act',
    params: TokenPath,
    handler: ({ services, caller, params }) => services.hub.tokens.end(caller, params.token),
  }),
];
