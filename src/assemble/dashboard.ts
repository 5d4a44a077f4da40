/** The dashboard as a role: its listener, and its ways to Prometheus and to a control plane. */
import { createDashboard } from '../dashboard/app.ts';
import { openPrometheus } from '../dashboard/prometheus.ts';
import type { Environment } from '../environment/environment.ts';
import { type Listening, listen } from '../http/listen.ts';
import { type OutwardFetch, outwardFetch } from '../outbound/outward-fetch.ts';
import type { ProcessLog } from './process-log.ts';

/** URLs have no slash at their end; the control plane's may be `unix:<path>`. */
export type DashboardRoleOptions = {
  readonly environment: Environment;
  readonly host: string;
  readonly port: number;
  readonly publicUrls: readonly URL[];
  /** Names by which Prometheus calls it among containers; for these there are metrics of the control plane, and no page. */
  readonly hostNames: readonly string[];
  readonly prometheusUrl: string;
  readonly controlPlaneUrl: string | undefined;
  readonly log: ProcessLog;
};

/** Starts to listen. Rejects with LISTEN_*. */
export async function startDashboard(options: DashboardRoleOptions): Promise<Listening> {
  const { environment, host, port, publicUrls, hostNames, prometheusUrl, controlPlaneUrl, log } = options;
  const { clock, random, variables } = environment;
  const fetchOf = (url: string): Promise<OutwardFetch> => outwardFetch({ url, extraRoots: [], variables });
  const { page, inside } = createDashboard({
    prometheus: openPrometheus({ url: prometheusUrl, fetch: await fetchOf(prometheusUrl), clock }),
    controlPlane:
      controlPlaneUrl === undefined ? undefined : { url: controlPlaneUrl, fetch: await fetchOf(controlPlaneUrl) },
    clock,
    log,
  });
  const aside = { hostNames, handler: inside };
  return listen({ host, port, handler: page, aside, publicUrls, clock, random, log });
}
