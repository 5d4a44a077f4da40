import { type Static, Type } from '@sinclair/typebox';
import { page, Run, RunDocument, RunsNew, RunsRequested } from '../contract/api.ts';
import { Moment, State } from '../contract/words.ts';
import type { RunFilter } from '../control/control.ts';
import { instanceWithin } from './own.ts';
import { closed, InstancePath, momentMs, PageParameters, pageQueryOf, RunPath } from './parameters.ts';
import { actorOf, route, type ServerRoute } from './route.ts';

/** A few hundred ordinary texts, or a thousand ids. */
const requestLimitBytes = 8_388_608;

const InstanceRunsQuery = Type.Object({
  ...PageParameters.properties,
  scenario: Type.Optional(Type.String({ maxLength: 200 })),
  judged: Type.Optional(Type.Boolean({ description: 'false: failed without an answer to judge' })),
  state: Type.Optional(Type.Array(State, { maxItems: 5, description: 'May be repeated; any of them' })),
  since: Type.Optional(Moment),
  until: Type.Optional(Moment),
});
const RunsQuery = Type.Object({
  ...InstanceRunsQuery.properties,
  instance: Type.Optional(Type.String({ maxLength: 200 })),
});

function filterOf(query: Static<typeof InstanceRunsQuery>, instance: string | undefined): RunFilter {
  const { scenario, state, judged, since, until } = query;
  return {
    instance,
    scenario,
    states: state,
    judged,
    sinceMs: momentMs('since', since),
    untilMs: momentMs('until', until),
  };
}

/** Runs: asked for, listed, read, waited for, cancelled. */
export const runRoutes: readonly ServerRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/instances/{instance}/runs',
    operation: 'requestRuns',
    summary: 'Request runs, in order; committed before it is answered. A repeated Idempotency-Key requests nothing new',
    action: 'run.request',
    params: InstancePath,
    headers: Type.Object({
      'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' })),
    }),
    body: closed(RunsNew),
    bodyLimitBytes: requestLimitBytes,
    answer: RunsRequested,
    status: 202,
    handler: async ({ services, params, headers, body, caller }) => {
      const { runs } = services.control;
      return { runs: await runs.request(params.instance, body, actorOf(caller), headers['idempotency-key']) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/runs',
    operation: 'listRunsOfInstance',
    summary: 'Runs of an instance, newest first',
    action: 'run.read',
    params: InstancePath,
    query: InstanceRunsQuery,
    answer: page(Run),
    handler: async ({ services, params, query }) =>
      services.control.runs.list(filterOf(query, params.instance), pageQueryOf(query)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/runs',
    operation: 'listRuns',
    summary: 'Runs of all instances, newest first; to an agent those of its own',
    action: 'run.read',
    narrows: true,
    query: RunsQuery,
    answer: page(Run),
    handler: async ({ services, caller, query }) =>
      services.control.runs.list(filterOf(query, instanceWithin(caller, query.instance)), pageQueryOf(query)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/runs/{run}',
    operation: 'getRun',
    summary: 'A run with its report; with wait_ms as soon as it has ended, at the latest after that time',
    action: 'run.read',
    params: RunPath,
    query: Type.Object({ wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })) }),
    answer: RunDocument,
    handler: async ({ services, params, query, waiting }) => {
      const { runs } = services.control;
      const { wait_ms: waitMs = 0 } = query;
      if (waitMs > 0) await waiting((signal) => runs.wait(params.run, waitMs, signal));
      return runs.get(params.run);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/runs/{run}/cancel',
    operation: 'cancelRun',
    summary: 'Cancel a run: at once while it is queued, else its executor is asked to stop',
    action: 'run.cancel',
    params: RunPath,
    answer: Run,
    handler: ({ services, params }) => services.control.runs.cancel(params.run),
  }),
];
