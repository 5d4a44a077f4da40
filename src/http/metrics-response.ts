import type { Metrics } from '../metrics/metrics.ts';

/** `GET /metrics`, in the text format of Prometheus. */
export async function createMetricsResponse(metrics: Metrics | undefined): Promise<Response> {
  const headers = { 'Content-Type': metrics?.contentType ?? 'text/plain', 'Cache-Control': 'no-store' };
  return new Response((await metrics?.text()) ?? '', { headers });
}
