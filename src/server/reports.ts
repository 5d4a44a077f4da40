import { Type } from '@sinclair/typebox';
import type { FormatName } from '../report/formats.ts';
import type { Report } from '../report/report.ts';
import type { Results } from '../report/results.ts';
import { RunPath } from './parameters.ts';
import { route, type ServerRoute, type ServerServices } from './route.ts';

const Format = Type.Union([Type.Literal('json'), Type.Literal('text'), Type.Literal('junit'), Type.Literal('html')]);

const types: Readonly<Record<Exclude<FormatName, 'json'>, string>> = {
  text: 'text/plain; charset=utf-8',
  junit: 'application/xml; charset=utf-8',
  html: 'text/html; charset=utf-8',
};
/** A page of our own making: its styles stand inside it, and it loads and runs nothing. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/** The report with the text that it was judged by, under the name a folder would give it. */
async function resultsOf({ control, version }: ServerServices, report: Report): Promise<Results> {
  const { scenario_text: text } = await control.runs.get(report.run_id);
  const { id } = report.scenario;
  return {
    reports: [report],
    unfinished: [],
    startedAtMs: Date.parse(report.started_at),
    finishedAtMs: Date.parse(report.finished_at),
    version,
    sources: new Map(text === null ? [] : [[id, { file: `${id}.md`, text }]]),
  };
}

/** Reports in their formats. */
export const reportRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/runs/{run}/report',
    operation: 'getReport',
    summary: 'The report of a run, as JSON unless said otherwise',
    action: 'run.read',
    params: RunPath,
    query: Type.Object({ format: Type.Optional(Format) }),
    media: ['application/json', 'text/plain', 'application/xml', 'text/html'],
    handler: async ({ services, params, query: { format = 'json' } }) => {
      const report = await services.control.runs.report(params.run);
      const kept = { 'Cache-Control': 'no-store' };
      if (format === 'json') return Response.json(report, { headers: kept });
      const { formats } = await import('../report/formats.ts');
      const text = formats[format](await resultsOf(services, report));
      const headers = { ...kept, 'Content-Type': types[format], 'Content-Security-Policy': pagePolicy };
      return new Response(text, { headers });
    },
  }),
];
