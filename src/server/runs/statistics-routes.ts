import { Type } from '@sinclair/typebox';
import { Timestamp } from '../../contract/schemas.ts';
import { Statistics, StatisticsOutcome } from '../../contract/statistics-api.ts';
import { InstancePath, parseTimestampMs } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';

const dayMs = 86_400_000;

export const statisticsRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/statistics',
    operation: 'getStatistics',
    summary:
      'Passed, failed and durations over time, also of one scenario or outcome; by default of the last day, at most 90 days',
    action: 'run.read',
    params: InstancePath,
    query: Type.Object({
      since: Type.Optional(Timestamp),
      scenario: Type.Optional(Type.String({ maxLength: 200 })),
      outcome: Type.Optional(StatisticsOutcome),
    }),
    response: Statistics,
    handler: ({ services: { control, clock }, params, query }) =>
      control.statistics.read(params.instance, parseTimestampMs('since', query.since) ?? clock.nowMs() - dayMs, query),
  }),
];
