import { type Static, Type } from '@sinclair/typebox';
import {
  CancelQueuedRunsResponse,
  CreateRunsRequest,
  CreateRunsResponse,
  pageSchema,
  Run,
  RunDocument,
} from '../../contract/api.ts';
import { RunPage, RunSearchParameters } from '../../contract/run-search-api.ts';
import { ScenarioResult } from '../../contract/scenario-results-api.ts';
import { RunStateSchema, Timestamp } from '../../contract/schemas.ts';
import type { RunListFilter } from '../../control/control.ts';
import { assertActionAllowed, resolveInstanceScope } from '../access/instance-access.ts';
import { whileAuthorized } from '../access/while-authorized.ts';
import {
  closedSchema,
  InstancePath,
  PageParameters,
  parseTimestampMs,
  RunPath,
  toPageQuery,
} from '../request-schemas.ts';
import { route, type ServerRoute, toActor, toSinglePage } from '../route.ts';

/** Enough for a few hundred texts, or a thousand ids. */
const requestLimitBytes = 8_388_608;

const InstanceRunsQuery = Type.Object({
  ...PageParameters.properties,
  scenario: Type.Optional(Type.String({ maxLength: 200 })),
  suite: Type.Optional(Type.String({ maxLength: 200 })),
  judged: Type.Optional(Type.Boolean({ description: 'false: failed without a response to judge' })),
  replaced: Type.Optional(
    Type.Boolean({ description: 'false: without runs that a later one of their suite has replaced' }),
  ),
  state: Type.Optional(
    Type.Array(RunStateSchema, { maxItems: 5, description: 'May be repeated; matches any of them' }),
  ),
  since: Type.Optional(Timestamp),
  until: Type.Optional(Timestamp),
  ...RunSearchParameters.properties,
});
const RunsQuery = Type.Object({
  ...InstanceRunsQuery.properties,
  instance: Type.Optional(Type.String({ maxLength: 200 })),
});

function toRunFilter(query: Static<typeof InstanceRunsQuery>, instance: string | undefined): RunListFilter {
  const { scenario, suite, state, judged, replaced, since, until } = query;
  const { text, path, tag, owner, target_version, branch, commit, failure, schedule } = query;
  return {
    instance,
    suite,
    scenario,
    states: state,
    judged,
    replaced,
    sinceMs: parseTimestampMs('since', since),
    untilMs: parseTimestampMs('until', until),
    search: { text, path, tag, owner, target_version, branch, commit, failure, schedule },
  };
}

export const runRoutes: readonly ServerRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/instances/{instance}/runs',
    operation: 'requestRuns',
    summary:
      'Request runs, in order; committed before the response. Running a text needs the right to write scenarios. A repeated Idempotency-Key requests nothing new',
    action: 'run.request',
    params: InstancePath,
    headers: Type.Object({
      'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' })),
    }),
    body: closedSchema(CreateRunsRequest),
    bodyLimitBytes: requestLimitBytes,
    response: CreateRunsResponse,
    status: 202,
    handler: async (request) => {
      const { services, params, headers, body, caller } = request;
      const { runs } = services.control;
      // A text can send any request to the target, like one that is written into the catalogue.
      if (body.scenarios.some((scenario) => 'text' in scenario))
        await assertActionAllowed(request, caller, 'scenario.write');
      return { runs: await runs.request(params.instance, body, toActor(caller), headers['idempotency-key']) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/runs',
    operation: 'listRunsOfInstance',
    summary: 'Runs of an instance, newest first. A search may return fewer items than the limit although more follow',
    action: 'run.read',
    params: InstancePath,
    query: InstanceRunsQuery,
    response: RunPage,
    handler: async ({ services, params, query }) =>
      services.control.runs.list(toRunFilter(query, params.instance), toPageQuery(query)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/runs',
    operation: 'listRuns',
    summary: 'Runs of all instances, newest first; agents get those of their own',
    action: 'run.read',
    filtersByCaller: true,
    query: RunsQuery,
    response: RunPage,
    handler: async ({ services, caller, query }) =>
      services.control.runs.list(toRunFilter(query, resolveInstanceScope(caller, query.instance)), toPageQuery(query)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/runs/{run}',
    operation: 'getRun',
    summary: 'A run with its report; with wait_ms as soon as it has finished, at the latest after that time',
    action: 'run.read',
    params: RunPath,
    query: Type.Object({ wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })) }),
    response: RunDocument,
    handler: async ({ services, caller, params, query, whileConnected }) => {
      const { runs } = services.control;
      const { wait_ms: waitMs = 0 } = query;
      if (waitMs === 0) return runs.get(params.run);
      const wait = (signal: AbortSignal) => runs.wait(params.run, waitMs, signal);
      return whileConnected((signal) => whileAuthorized(services.identity, caller, signal, wait));
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/runs/{run}/cancel',
    operation: 'cancelRun',
    summary: 'Cancel a run: at once while it is queued, otherwise its executor is requested to stop',
    action: 'run.cancel',
    params: RunPath,
    response: Run,
    handler: ({ services, params }) => services.control.runs.cancel(params.run),
  }),
  route({
    method: 'POST',
    path: '/api/v1/instances/{instance}/queue/cancel',
    operation: 'cancelQueuedRuns',
    summary: 'Cancel all queued runs of an instance, or of one of its scenarios; a running one goes on',
    action: 'run.cancel',
    params: InstancePath,
    body: closedSchema(Type.Object({ scenario: Type.Optional(Type.String({ maxLength: 200 })) })),
    response: CancelQueuedRunsResponse,
    handler: async ({ services, params, body }) => ({
      cancelled: await services.control.runs.cancelQueued(params.instance, body.scenario),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/scenario-results',
    operation: 'listScenarioResults',
    summary: 'The newest result of each scenario, and since when it has been failing',
    action: 'run.read',
    params: InstancePath,
    response: pageSchema(ScenarioResult),
    handler: async ({ services, params }) =>
      toSinglePage(await services.control.runs.listScenarioResults(params.instance)),
  }),
];
