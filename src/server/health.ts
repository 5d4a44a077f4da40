import { Type } from '@sinclair/typebox';
import { metricsAnswer } from '../http/metrics-answer.ts';
import { openRoute, route, type ServerRoute } from './route.ts';

const Status = Type.Object({ status: Type.String() });

async function isReady(ready: () => Promise<void>): Promise<boolean> {
  return ready().then(
    () => true,
    () => false,
  );
}

/** For probes: whether it lives, whether it can work; nothing about why not. */
export const healthRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealth',
    summary: 'The process answers',
    answer: Status,
    handler: async () => ({ status: 'ok' }),
  }),
  openRoute({
    method: 'GET',
    path: '/readyz',
    operation: 'getReadiness',
    summary: 'The store answers and the process is not shutting down; 503 otherwise',
    answer: Status,
    handler: async ({ services, closing }) => {
      const ready = !closing?.aborted && (await isReady(() => services.control.gauges.ready()));
      return ready ? { status: 'ready' } : Response.json({ status: 'not ready' }, { status: 503 });
    },
  }),
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Metrics in the text format of Prometheus',
    action: 'metrics.read',
    media: ['text/plain'],
    handler: ({ services }) => metricsAnswer(services.metrics),
  }),
];
