import { type Static, Type } from '@sinclair/typebox';
import type { ControlGauges } from '../../control/control.ts';
import { VpError } from '../../errors/vp-error.ts';
import { createMetricsResponse } from '../../http/metrics-response.ts';
import { openRoute, route, type ServerRoute } from '../route.ts';
import { type ReplicaState, ReplicaStateSchema } from './replica-state.ts';

const Status = Type.Object({ status: Type.String() });
const Count = Type.Integer({ minimum: 0 });
const Store = Type.Object({
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgresql')]),
  connection: Type.Optional(
    Type.Union([Type.Literal('direct'), Type.Literal('pooled')], {
      description: 'With PostgreSQL: `pooled` when a pooler such as PgBouncer stands between',
    }),
  ),
  connections: Type.Optional(
    Type.Object(
      { used: Count, open: Count, waiting: Count },
      { description: 'With PostgreSQL: of this process; `waiting` are operations without one' },
    ),
  ),
  notices: Type.Optional(
    Type.Union([Type.Literal('hint'), Type.Literal('polling')], {
      description: 'With PostgreSQL: how commits of other processes are noticed; `hint`: within milliseconds',
    }),
  ),
});
const Readiness = Type.Object({
  status: Type.String(),
  store: Store,
  replica: Type.Optional(ReplicaStateSchema),
  clock: Type.Union([Type.Literal('settled'), Type.Literal('jumped')], {
    description: '`jumped`: nothing is deleted by age until the clock of the machine has settled',
  }),
});

/** Neither the address nor the version: anyone may read it. */
function describeStore(state: ReturnType<ControlGauges['getStoreState']>): Static<typeof Store> {
  if (state.engine === 'sqlite') return { engine: state.engine };
  const { engine, isPooled, connections, notices } = state;
  return { engine, connection: isPooled ? 'pooled' : 'direct', connections, notices };
}

function describeReplica(getReplica: (() => ReplicaState) | undefined): { readonly replica?: ReplicaState } {
  return getReplica ? { replica: getReplica() } : {};
}

function toReason(error: unknown): string {
  return error instanceof VpError ? error.code : 'INTERNAL';
}

/** Probes of liveness and readiness, and the metrics. */
export const healthRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealth',
    summary: 'The process responds',
    response: Status,
    handler: async () => ({ status: 'ok' }),
  }),
  openRoute({
    method: 'GET',
    path: '/readyz',
    operation: 'getReadiness',
    summary: 'The store can be read and written, and the process is not shutting down; 503 with the reason otherwise',
    response: Readiness,
    handler: async ({ services, closing }) => {
      const reason = closing?.aborted
        ? 'SHUTTING_DOWN'
        : await services.control.gauges.ready().then(() => undefined, toReason);
      // `reason` is a code of the error table.
      const store = describeStore(services.control.gauges.getStoreState());
      const replica = describeReplica(services.getReplica);
      if (reason !== undefined)
        return Response.json({ status: 'not ready', reason, store, ...replica }, { status: 503 });
      const clock = services.control.gauges.findClockJump() ? 'jumped' : 'settled';
      return { status: 'ready', clock, store, ...replica } as const;
    },
  }),
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Metrics in the text format of Prometheus',
    action: 'metrics.read',
    media: ['text/plain'],
    handler: ({ services }) => createMetricsResponse(services.metrics),
  }),
];
