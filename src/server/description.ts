import { route, type ServerRoute } from './route.ts';

/** The description of the API. */
export const descriptionRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/openapi.json',
    operation: 'getDescription',
    summary: 'This document',
    action: 'description.read',
    media: ['application/json'],
    handler: async ({ services }) =>
      new Response(services.openapi(), {
        headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' },
      }),
  }),
];
