/** The dashboard's HTTP app. It requires no sign-in, so it exposes only what every user of this machine may know. */
import { Type } from '@sinclair/typebox';
import {
  DashboardInstancesResponse,
  DashboardRangeQuery,
  DashboardScenariosResponse,
  PanelList,
  PanelResponse,
} from '../contract/dashboard-api.ts';
import type { Clock } from '../environment/clock.ts';
import { version } from '../environment/version.ts';
import { vpError } from '../errors/vp-error.ts';
import { createApp } from '../http/create-app.ts';
import type { RequestHandler } from '../http/listener/request-listener.ts';
import type { ListenerLog } from '../http/log.ts';
import { createRouteFactories, type Route, type RouteCaller } from '../http/route.ts';
import { readInstances, readPanel, readScenarios } from './dashboard-data.ts';
import { type RelayTarget, relayMetrics } from './metrics-relay.ts';
import { servePageFile } from './page-files.ts';
import { panels } from './panels.ts';
import type { PrometheusClient } from './prometheus-client.ts';

export type DashboardOptions = {
  readonly prometheus: PrometheusClient;
  /** The control plane whose metrics are relayed, if any. */
  readonly controlPlane: RelayTarget | undefined;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly log: ListenerLog;
};

/** `page` is for people, `internal` for Prometheus on the network between containers. */
export type DashboardHandlers = { readonly page: RequestHandler; readonly internal: RequestHandler };

type Services = Pick<DashboardOptions, 'prometheus' | 'controlPlane' | 'clock'> & {
  readonly charts: ResponseCache<PanelResponse>;
  readonly instances: ResponseCache<DashboardInstancesResponse>;
  readonly scenarios: ResponseCache<DashboardScenariosResponse>;
};
const { openRoute } = createRouteFactories<Services, RouteCaller, Record<never, never>>({
  allows: (_caller, _action): _caller is never => false,
});

const ids = panels.map(({ id }) => id);
const PanelParams = Type.Object({ panel: Type.Unsafe<string>({ type: 'string', enum: ids }) });

/** `page` is for people, `internal` for Prometheus on the network between containers. */
type Surface = keyof DashboardHandlers;
type DashboardRoute = { readonly surfaces: readonly Surface[]; readonly route: Route<Services, RouteCaller> };

const health = openRoute({
  method: 'GET',
  path: '/healthz',
  operation: 'getHealth',
  summary: 'The process responds',
  response: Type.Object({ status: Type.String(), role: Type.String(), version: Type.String() }),
  handler: async () => ({ status: 'ok', role: 'dashboard', version }),
});

const relay = openRoute({
  method: 'GET',
  path: '/relay/metrics',
  operation: 'relayMetrics',
  summary: 'Metrics of the control plane, read with the key of the caller',
  media: ['text/plain'],
  handler: async ({ services: { controlPlane }, request }) => {
    if (controlPlane) return relayMetrics(controlPlane, request.headers, request.signal);
    throw vpError('ROUTE_UNKNOWN', { method: 'GET', path: '/relay/metrics' });
  },
});

const pageRoutes: readonly Route<Services, RouteCaller>[] = [
  openRoute({
    method: 'GET',
    path: '/api/panels',
    operation: 'listPanels',
    summary: 'List the charts',
    response: PanelList,
    handler: async () => ({
      version,
      panels: panels.map(({ id, title, meaning, unit }) => ({ id, title, meaning, unit })),
    }),
  }),
  openRoute({
    method: 'GET',
    path: '/api/panels/{panel}',
    operation: 'getPanel',
    summary: 'Get the lines of a chart',
    params: PanelParams,
    query: DashboardRangeQuery,
    response: PanelResponse,
    handler: async ({ services, params, query: { range } }) => {
      const panel = panels.find(({ id }) => id === params.panel);
      if (!panel) throw vpError('INTERNAL', {});
      return services.charts(`${panel.id} ${range}`, () => readPanel(panel, toDashboardQuery(services, range)));
    },
  }),
  openRoute({
    method: 'GET',
    path: '/api/instances',
    operation: 'getInstances',
    summary: 'Current state of the instances, and firing alerts',
    query: DashboardRangeQuery,
    response: DashboardInstancesResponse,
    handler: async ({ services, query: { range } }) =>
      services.instances(range, () => readInstances(toDashboardQuery(services, range))),
  }),
  openRoute({
    method: 'GET',
    path: '/api/scenarios',
    operation: 'getScenarios',
    summary: 'The slowest and the flakiest scenarios',
    query: DashboardRangeQuery,
    response: DashboardScenariosResponse,
    handler: async ({ services, query: { range } }) =>
      services.scenarios(range, () => readScenarios(toDashboardQuery(services, range))),
  }),
];

/** Every route of the dashboard, with the listeners that serve it. */
export const dashboardRoutes: readonly DashboardRoute[] = [
  { surfaces: ['page', 'internal'], route: health },
  { surfaces: ['internal'], route: relay },
  ...pageRoutes.map((route): DashboardRoute => ({ surfaces: ['page'], route })),
];

function toDashboardQuery({ prometheus, clock }: Services, range: Parameters<typeof readPanel>[1]['range']) {
  return { prometheus, range, nowMs: clock.nowMs() };
}

/** Open pages send the same queries; Prometheus gets each of them once in this time. */
const cacheMs = 4_000;

/** Creates the handlers for `listen`. */
export function createDashboard(options: DashboardOptions): DashboardHandlers {
  const { prometheus, controlPlane, clock, log } = options;
  const services: Services = {
    prometheus,
    controlPlane,
    clock,
    charts: createResponseCache(cacheMs, clock),
    instances: createResponseCache(cacheMs, clock),
    scenarios: createResponseCache(cacheMs, clock),
  };
  const createSurfaceApp = (surface: Surface) =>
    createApp<Services, RouteCaller>({
      routes: dashboardRoutes.flatMap(({ surfaces, route }) => (surfaces.includes(surface) ? [route] : [])),
      services,
      // No route has an action, so credentials are never required.
      identify: () => Promise.reject(vpError('CREDENTIAL_MISSING', {})),
      clock,
      log,
    });
  const [app, internal] = [createSurfaceApp('page'), createSurfaceApp('internal')];
  return {
    page: (request, env) => servePageFile(request) ?? app.fetch(request, env),
    internal: (request, env) => internal.fetch(request, env),
  };
}

type ResponseCache<T> = (key: string, load: () => Promise<T>) => Promise<T>;

/** Caches the result of `load` by key for `cacheMs`, also while it is being loaded. Failures are not cached. */
function createResponseCache<T>(cacheMs: number, clock: Pick<Clock, 'monotonicMs'>): ResponseCache<T> {
  const entries = new Map<string, { readonly untilMs: number; readonly response: Promise<T> }>();
  return (key: string, load: () => Promise<T>): Promise<T> => {
    const nowMs = clock.monotonicMs();
    for (const [name, { untilMs }] of entries) if (untilMs <= nowMs) entries.delete(name);
    const cached = entries.get(key);
    if (cached) return cached.response;
    const response = load();
    entries.set(key, { untilMs: nowMs + cacheMs, response });
    response.catch(() => entries.delete(key));
    return response;
  };
}
