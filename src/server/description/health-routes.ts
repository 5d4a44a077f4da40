import { Type } from '@sinclair/typebox';
import { createMetricsResponse } from '../../http/metrics-response.ts';
import { openRoute, route, type ServerRoute } from '../route.ts';

const Status = Type.Object({ status: Type.String() });

async function isReady(checkReady: () => Promise<void>): Promise<boolean> {
  return checkReady().then(
    () => true,
    () => false,
  );
}

/** Probes of liveness and readiness, without reasons, and the metrics. */
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
    summary: 'The store responds and the process is not shutting down; 503 otherwise',
    response: Status,
    handler: async ({ services, closing }) => {
      const isStoreReady = !closing?.aborted && (await isReady(() => services.control.gauges.ready()));
      return isStoreReady ? { status: 'ready' } : Response.json({ status: 'not ready' }, { status: 503 });
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
