import { route, type ServerRoute } from '../route.ts';

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
];
