/** Health and version of the registry, like those of the official one. */
import { Type } from '@sinclair/typebox';
import { RegistryEmptyQuery } from '../../contract/registry/registry-api.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import type { RegistryApiFamily } from './read-routes.ts';

export function createRegistryStatusRoutes({ root, suffix }: RegistryApiFamily): ServerRoute[] {
  return [
    openRoute({
      method: 'GET',
      path: `${root}/health`,
      operation: `getRegistryHealth${suffix}`,
      summary: 'The registry responds',
      query: RegistryEmptyQuery,
      response: Type.Object({ status: Type.String() }),
      handler: async () => ({ status: 'ok' }),
    }),
    openRoute({
      method: 'GET',
      path: `${root}/ping`,
      operation: `pingRegistry${suffix}`,
      summary: 'The registry responds',
      query: RegistryEmptyQuery,
      response: Type.Object({ pong: Type.Boolean() }),
      handler: async () => ({ pong: true }),
    }),
    openRoute({
      method: 'GET',
      path: `${root}/version`,
      operation: `getRegistryBuild${suffix}`,
      summary: 'The version of this build',
      query: RegistryEmptyQuery,
      response: Type.Object({ version: Type.String() }),
      handler: async ({ services }) => ({ version: services.version }),
    }),
  ];
}
