/** The dashboard role: its listener, and its connections to Prometheus and to a control plane. */
import { createDashboard } from '../dashboard/app.ts';
import { createPrometheusClient } from '../dashboard/prometheus-client.ts';
import type { Environment } from '../environment/environment.ts';
import { createResponseEncoder } from '../http/compression.ts';
import { type HttpListener, listen } from '../http/listener/listen.ts';
import { createOutboundFetch, type OutboundFetch } from '../outbound/outbound-fetch.ts';
import type { ProcessLog } from './process-log.ts';

/** Of Prometheus, and of the metrics of a control plane. */
const maxResponseBytes = 16 * 1024 * 1024;

/** URLs have no trailing slash; the control plane's may be `unix:<path>`. */
export type DashboardRoleOptions = {
  readonly environment: Environment;
  readonly host: string;
  readonly port: number;
  readonly publicUrls: readonly URL[];
  /** Host names by which Prometheus calls it in the container network; these serve the control plane's metrics only, no page. */
  readonly hostNames: readonly string[];
  readonly prometheusUrl: string;
  readonly controlPlaneUrl: string | undefined;
  /** PEM texts of certificates that are trusted besides those of the system. */
  readonly extraRoots: readonly string[];
  readonly log: ProcessLog;
};

/** Rejects with LISTEN_*. */
export async function startDashboard(options: DashboardRoleOptions): Promise<HttpListener> {
  const { environment, host, port, publicUrls, hostNames, prometheusUrl, controlPlaneUrl, extraRoots, log } = options;
  const { clock, random, variables } = environment;
  const createFetch = (url: string): Promise<OutboundFetch> =>
    createOutboundFetch({ url, extraRoots, variables, maxResponseBytes });
  const { page, internal: metricsHandler } = createDashboard({
    prometheus: createPrometheusClient({ url: prometheusUrl, fetch: await createFetch(prometheusUrl), clock }),
    controlPlane:
      controlPlaneUrl === undefined ? undefined : { url: controlPlaneUrl, fetch: await createFetch(controlPlaneUrl) },
    clock,
    log,
  });
  const encodeResponse = createResponseEncoder();
  const handler: typeof page = async (request, env) => encodeResponse(request, await page(request, env));
  const separateHandler = { hostNames, handler: metricsHandler };
  return listen({ host, port, handler, separateHandler, publicUrls, clock, random, log });
}
