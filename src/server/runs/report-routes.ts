import { Type } from '@sinclair/typebox';
import type { Report } from '../../report/report.ts';
import type { RunResults } from '../../report/results.ts';
import { RunPath } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';

const Format = Type.Union([
  Type.Literal('json'),
  Type.Literal('text'),
  Type.Literal('junit'),
  Type.Literal('html'),
  Type.Literal('agent'),
]);

const mediaTypes = {
  text: 'text/plain; charset=utf-8',
  junit: 'application/xml; charset=utf-8',
  html: 'text/html; charset=utf-8',
  agent: 'text/markdown; charset=utf-8',
} as const;
/** A generated page: its styles are inline, and it loads and runs nothing. */
const reportPagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/** The report with the scenario's text, named like a file of a scenario folder. */
async function buildResults({ control, version }: ServerServices, report: Report): Promise<RunResults> {
  const { scenario_text: text } = await control.runs.get(report.run_id);
  const { id } = report.scenario;
  return {
    reports: [report],
    unfinished: [],
    startedAtMs: Date.parse(report.started_at),
    finishedAtMs: Date.parse(report.finished_at),
    version,
    sources: new Map(text === null ? [] : [[id, { file: `${id}.md`, text, inCatalogue: true }]]),
  };
}

export const reportRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/runs/{run}/report',
    operation: 'getReport',
    summary: 'The report of a run, by default as JSON',
    action: 'run.read',
    params: RunPath,
    query: Type.Object({ format: Type.Optional(Format) }),
    media: ['application/json', 'text/plain', 'application/xml', 'text/html', 'text/markdown'],
    handler: async ({ services, params, query: { format = 'json' } }) => {
      const report = await services.control.runs.report(params.run);
      const baseHeaders = { 'Cache-Control': 'no-store' };
      if (format === 'json') return Response.json(report, { headers: baseHeaders });
      const { outputFormats } = await import('../../report/formats.ts');
      const text = outputFormats[format](await buildResults(services, report));
      const headers = {
        ...baseHeaders,
        'Content-Type': mediaTypes[format],
        'Content-Security-Policy': reportPagePolicy,
      };
      return new Response(text, { headers });
    },
  }),
];
