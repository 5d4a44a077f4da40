import type { Metrics } from '../metrics/metrics.ts';

/** `GET /metrics`: everything that is counted, in the text format of Prometheus. */
export async function metricsAnswer(metrics: Metrics | undefined): Promise<Response> {
  const headers = { 'Content-Type': metrics?.contentType ?? 'text/plain', 'Cache-Control': 'no-store' };
  return new Response((await metrics?.text()) ?? '', { headers });
}
