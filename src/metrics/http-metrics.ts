import type { Metrics } from './metrics.ts';

/** What a listener counts of its requests. */
export type HttpMetrics = {
  /**
   * `route` is the route's template (or `unknown`), never the path that was asked for. `durationMs` is undefined for
   * streams, which last as long as their reader likes.
   */
  answered(route: string, method: string, status: number, durationMs: number | undefined): void;
};

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 60];

const registered = new WeakMap<Metrics, HttpMetrics>();

/**
 * `vp_http_requests_total` and `vp_http_request_duration_seconds`, registered once: all listeners of a process count
 * together. Long polls count with their wait.
 */
export function httpMetrics(metrics: Metrics): HttpMetrics {
  const known = registered.get(metrics) ?? register(metrics);
  registered.set(metrics, known);
  return known;
}

function register(metrics: Metrics): HttpMetrics {
  const requests = metrics.counter({
    name: 'vp_http_requests_total',
    help: 'Requests answered, by route template, method and class of the status.',
    labels: ['route', 'method', 'status_class'],
  });
  const durations = metrics.histogram(
    {
      name: 'vp_http_request_duration_seconds',
      help: 'Time from the head of a request to its answer, long polls with their wait, streams left out.',
      labels: ['route'],
    },
    buckets,
  );
  return {
    answered(route, method, status, durationMs) {
      const status_class = `${Math.trunc(status / 100)}xx`;
      requests.add({ route, method: methods.has(method) ? method : 'other', status_class });
      if (durationMs !== undefined) durations.observe({ route }, durationMs / 1000);
    },
  };
}
