import { hubFileSchemaPath } from '../../contract/hubs/hub-file.ts';
import { openRoute, route, type ServerRoute } from '../route.ts';
import { buildHubFileSchema } from './hub-file-schema.ts';

export const descriptionRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/openapi.json',
    operation: 'getDescription',
    summary: 'This document',
    action: 'description.read',
    media: ['application/json'],
    handler: async ({ services }) =>
      new Response(services.openapi.get(), {
        headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' },
      }),
  }),
  openRoute({
    method: 'GET',
    path: hubFileSchemaPath,
    operation: 'getHubFileSchema',
    summary: 'The JSON Schema of the files of `vp hubs export` and `vp hubs apply`',
    media: ['application/schema+json'],
    handler: async () =>
      new Response(JSON.stringify(buildHubFileSchema()), {
        headers: { 'Content-Type': 'application/schema+json', 'Cache-Control': 'public, max-age=3600' },
      }),
  }),
];
