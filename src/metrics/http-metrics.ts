import type { Labels, Metrics } from './metrics.ts';

export type HttpMetrics = {
  /**
   * `route` is the route's template (or `unknown`), never the requested path. `durationMs` is undefined for streams, which
   * last as long as their reader is connected.
   */
  countResponse(route: string, method: string, status: number, durationMs: number | undefined): void;
};

type CountedRequests = { readonly labels: Labels<'route' | 'method' | 'status_class'>; value: number };

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 60];

const metricsByRegistry = new WeakMap<Metrics, HttpMetrics>();

/**
 * `vp_http_requests_total` and `vp_http_request_duration_seconds`, registered once: all listeners of a process count
 * together. Long polls count with their wait.
 */
export function openHttpMetrics(metrics: Metrics): HttpMetrics {
  const httpMetrics = metricsByRegistry.get(metrics) ?? register(metrics);
  metricsByRegistry.set(metrics, httpMetrics);
  return httpMetrics;
}

function register(metrics: Metrics): HttpMetrics {
  // The client of Prometheus finds the value of a combination of labels by sorting and joining them, for each request.
  const counts = new Map<string, CountedRequests>();
  metrics.externalCounter(
    {
      name: 'vp_http_requests_total',
      help: 'HTTP requests, by route template, method and status class.',
      labels: ['route', 'method', 'status_class'],
    },
    () => [...counts.values()],
  );
  const durations = metrics.histogram(
    {
      name: 'vp_http_request_duration_seconds',
      help: 'Time from the headers of a request to its response, including the wait of long polls, excluding streams.',
      labels: ['route'],
    },
    buckets,
  );
  return {
    countResponse(route, method, status, durationMs) {
      const statusDigit = Math.trunc(status / 100);
      const knownMethod = methods.has(method) ? method : 'other';
      const key = `${statusDigit} ${knownMethod} ${route}`;
      const count = counts.get(key);
      if (count) count.value += 1;
      else counts.set(key, { labels: { route, method: knownMethod, status_class: `${statusDigit}xx` }, value: 1 });
      if (durationMs !== undefined) durations.observe({ route }, durationMs / 1000);
    },
  };
}
