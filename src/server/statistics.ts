import { Type } from '@sinclair/typebox';
import { Statistics } from '../contract/statistics-api.ts';
import { Moment } from '../contract/words.ts';
import { InstancePath, momentMs } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const dayMs = 86_400_000;

/** Runs over time. */
export const statisticsRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/statistics',
    operation: 'getStatistics',
    summary: 'Passed, failed and durations over time; of the last day unless said otherwise, at most 90 days',
    action: 'run.read',
    params: InstancePath,
    query: Type.Object({ since: Type.Optional(Moment) }),
    answer: Statistics,
    handler: ({ services: { control, clock }, params, query }) =>
      control.statistics.of(params.instance, momentMs('since', query.since) ?? clock.nowMs() - dayMs),
  }),
];
