import { Type } from '@sinclair/typebox';
import { CreateRunsResponse, pageSchema } from '../../contract/api.ts';
import { CancelSuiteResponse, CreateSuiteRequest, RerunSuiteRequest, Suite } from '../../contract/suites-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { FormatName } from '../../report/formats.ts';
import type { RunResults } from '../../report/results.ts';
import { assertActionAllowed } from '../access/instance-access.ts';
import { closedSchema, InstancePath, PageParameters, PathName, toPageQuery } from '../request-schemas.ts';
import { route, type ServerRoute, toActor } from '../route.ts';

const suitesPath = '/api/v1/instances/{instance}/suites';
const SuitePath = Type.Object({ instance: PathName, suite: PathName });
const FilterText = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));

const mediaTypes = {
  junit: 'application/xml; charset=utf-8',
  json: 'application/json',
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  agent: 'text/markdown; charset=utf-8',
  ctrf: 'application/json',
  sarif: 'application/json',
  'code-quality': 'application/json',
} as const satisfies Record<FormatName, string>;
const formatNames = Object.keys(mediaTypes) as FormatName[];
const Format = Type.Union(formatNames.map((name) => Type.Literal(name)));
const reportPagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

export const suiteRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: suitesPath,
    operation: 'listSuites',
    summary: 'Requests for several scenarios, newest first, each with its verdict',
    action: 'run.read',
    params: InstancePath,
    query: Type.Object({ ...PageParameters.properties, branch: FilterText, commit: FilterText, schedule: FilterText }),
    response: pageSchema(Suite),
    handler: ({ services: { control }, params: { instance }, query }) => {
      const { branch, commit, schedule } = query;
      return control.suites.list({ instance, branch, commit, schedule }, toPageQuery(query));
    },
  }),
  route({
    method: 'POST',
    path: suitesPath,
    operation: 'createSuite',
    summary:
      'Divide scenarios among jobs by how long they took; the first request with a key decides. Runs are requested by the jobs',
    action: 'run.request',
    params: InstancePath,
    body: closedSchema(CreateSuiteRequest),
    bodyLimitBytes: 524_288,
    response: Suite,
    handler: ({ services: { control }, params, body, caller }) =>
      control.suites.create(params.instance, body, toActor(caller)),
  }),
  route({
    method: 'GET',
    path: `${suitesPath}/{suite}`,
    operation: 'getSuite',
    summary: 'A request for several scenarios; its runs are those of /runs with ?suite=',
    action: 'run.read',
    params: SuitePath,
    response: Suite,
    handler: ({ services: { control }, params }) => control.suites.get(params.instance, params.suite),
  }),
  route({
    method: 'GET',
    path: `${suitesPath}/{suite}/report`,
    operation: 'getSuiteReport',
    summary: 'One report file of all runs, by default JUnit. Runs that have not ended are errors in it',
    action: 'run.read',
    params: SuitePath,
    query: Type.Object({ format: Type.Optional(Format) }),
    media: ['application/xml', 'application/json', 'text/html', 'text/plain', 'text/markdown'],
    handler: async ({ services: { control, version }, params, query: { format = 'junit' } }) => {
      const results: RunResults = { ...(await control.suites.readResults(params.instance, params.suite)), version };
      const { outputFormats } = await import('../../report/formats.ts');
      const headers = {
        'Cache-Control': 'no-store',
        'Content-Type': mediaTypes[format],
        'Content-Security-Policy': reportPagePolicy,
      };
      return new Response(outputFormats[format](results), { headers });
    },
  }),
  route({
    method: 'POST',
    path: `${suitesPath}/{suite}/rerun`,
    operation: 'rerunSuite',
    summary: 'Run again what did not pass, or all, as a suite of its own',
    action: 'run.request',
    params: SuitePath,
    body: closedSchema(RerunSuiteRequest),
    response: Type.Object({ suite: Suite, runs: CreateRunsResponse.properties.runs }),
    status: 202,
    handler: async (request) => {
      const { services, params, body, caller } = request;
      const { suites } = services.control;
      // As for a request: a text that is not in the catalogue can send any request to the target.
      if (await suites.hasTexts(params.instance, params.suite))
        await assertActionAllowed(request, caller, 'scenario.write');
      return suites.rerun(params.instance, params.suite, body, toActor(caller));
    },
  }),
  route({
    method: 'POST',
    path: `${suitesPath}/{suite}/cancel`,
    operation: 'cancelSuite',
    summary: 'Cancel its runs that have not ended; a running one is requested to stop',
    action: 'run.cancel',
    params: SuitePath,
    response: CancelSuiteResponse,
    handler: async ({ services: { control }, params }) => {
      let cancelled = 0;
      // The last in the queue first, so that none starts meanwhile.
      for (const run of (await control.suites.listOpenRunIds(params.instance, params.suite)).reverse()) {
        const ended = await control.runs.cancel(run).catch((error: unknown) => {
          if (error instanceof VpError && error.code === 'RUN_FINAL') return undefined;
          throw error;
        });
        if (ended) cancelled += 1;
      }
      return { cancelled };
    },
  }),
];
