/** Whether the registry lives, and which build it is; as the official one answers. */
import { Type } from '@sinclair/typebox';
import { RegistryNoQuery } from '../contract/registry-api.ts';
import type { RegistryVersion } from './registry.ts';
import { openRoute, type ServerRoute } from './route.ts';

/** These routes of one family. */
export function registryStateRoutes({ root, suffix }: RegistryVersion): ServerRoute[] {
  return [
    openRoute({
      method: 'GET',
      path: `${root}/health`,
      operation: `getRegistryHealth${suffix}`,
      summary: 'The registry answers',
      query: RegistryNoQuery,
      answer: Type.Object({ status: Type.String() }),
      handler: async () => ({ status: 'ok' }),
    }),
    openRoute({
      method: 'GET',
      path: `${root}/ping`,
      operation: `pingRegistry${suffix}`,
      summary: 'The registry answers',
      query: RegistryNoQuery,
      answer: Type.Object({ pong: Type.Boolean() }),
      handler: async () => ({ pong: true }),
    }),
    openRoute({
      method: 'GET',
      path: `${root}/version`,
      operation: `getRegistryBuild${suffix}`,
      summary: 'The version of this build',
      query: RegistryNoQuery,
      answer: Type.Object({ version: Type.String() }),
      handler: async ({ services }) => ({ version: services.version }),
    }),
  ];
}
