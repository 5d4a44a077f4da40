import { Type } from '@sinclair/typebox';
import { RunPath } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const Format = Type.Union([Type.Literal('json'), Type.Literal('text'), Type.Literal('junit'), Type.Literal('html')]);

/** Reports in their formats. */
export const reportRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/runs/{run}/report',
    operation: 'getReport',
    summary: 'The report of a run, as JSON unless said otherwise',
    audience: ['owner'],
    params: RunPath,
    query: Type.Object({ format: Type.Optional(Format) }),
    media: ['application/json'],
    handler: async ({ services, params }) => Response.json(await services.control.runs.report(params.run)),
  }),
];
