import { Type } from '@sinclair/typebox';
import { StoreSummary } from '../../contract/system-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { createMetricsResponse } from '../../http/metrics-response.ts';
import type { AuditAvailability } from '../../hub/audit/audit-writer.ts';
import { openRoute, route, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';
import { type ReplicaState, ReplicaStateSchema } from './replica-state.ts';
import { summarizeStore } from './system-routes.ts';

const Status = Type.Object({ status: Type.String() });
const Readiness = Type.Object({
  status: Type.String(),
  store: StoreSummary,
  replica: Type.Optional(ReplicaStateSchema),
  audit: Type.Optional(
    Type.Union([Type.Literal('recording'), Type.Literal('refusing'), Type.Literal('gaps')], {
      description:
        '`refusing`: calls through hubs are refused because they cannot be recorded; `gaps`: they go on without a row',
    }),
  ),
  clock: Type.Union([Type.Literal('settled'), Type.Literal('jumped')], {
    description: '`jumped`: nothing is deleted by age until the clock of the machine has settled',
  }),
});

function describeReplica(getReplica: (() => ReplicaState) | undefined): { readonly replica?: ReplicaState } {
  return getReplica ? { replica: getReplica() } : {};
}

function describeAudit({ getAuditAvailability }: ServerServices): { readonly audit?: AuditAvailability } {
  return getAuditAvailability ? { audit: getAuditAvailability() } : {};
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
    summary:
      'The store and the audit can be written, and the process is not shutting down; 503 with the reason otherwise',
    response: Readiness,
    handler: async ({ services, closing }) => {
      const audit = describeAudit(services);
      const reason = closing?.aborted
        ? 'SHUTTING_DOWN'
        : await services.control.gauges
            .ready()
            .then(() => (audit.audit === 'refusing' ? 'AUDIT_UNAVAILABLE' : undefined), toReason);
      // `reason` is a code of the error table.
      const store = summarizeStore(services.control.gauges.getStoreState());
      const replica = describeReplica(services.getReplica);
      if (reason !== undefined)
        return Response.json({ status: 'not ready', reason, store, ...replica, ...audit }, { status: 503 });
      const clock = services.control.gauges.findClockJump() ? 'jumped' : 'settled';
      return { status: 'ready', clock, store, ...replica, ...audit } as const;
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
