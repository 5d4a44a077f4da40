/** The dashboard's HTTP app. Nobody signs in, so it says nothing that a person of this machine may not know. */
import { Type } from '@sinclair/typebox';
import { InstancesAnswer, PanelAnswer, PanelList, RangeQuery, ScenariosAnswer } from '../contract/dashboard-api.ts';
import type { Clock } from '../environment/clock.ts';
import { version } from '../environment/version.ts';
import { vpError } from '../errors/vp-error.ts';
import { createApp } from '../http/app.ts';
import type { Handler } from '../http/listen.ts';
import type { Log } from '../http/log.ts';
import { type Caller, type Route, routesFor } from '../http/route.ts';
import { type Kept, keptFor } from './kept.ts';
import { pageFiles } from './page-files.ts';
import { panels } from './panels.ts';
import type { Prometheus } from './prometheus.ts';
import { readInstances, readPanel, readScenarios } from './read.ts';
import { type RelayTo, relayMetrics } from './relay.ts';

/** What the app is made of. */
export type DashboardOptions = {
  readonly prometheus: Prometheus;
  /** The control plane whose metrics are led on to; undefined for none. */
  readonly controlPlane: RelayTo | undefined;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly log: Log;
};

/** `page` is for people, `inside` for Prometheus on the network between containers. */
export type DashboardHandlers = { readonly page: Handler; readonly inside: Handler };

type Services = Pick<DashboardOptions, 'prometheus' | 'controlPlane' | 'clock'> & {
  readonly charts: Kept<PanelAnswer>;
  readonly instances: Kept<InstancesAnswer>;
  readonly scenarios: Kept<ScenariosAnswer>;
};
const { openRoute } = routesFor<Services, Caller, Record<never, never>>({
  allows: (_caller, _action): _caller is never => false,
});

const ids = panels.map(({ id }) => id);
const PanelParams = Type.Object({ panel: Type.Unsafe<string>({ type: 'string', enum: ids }) });

const health = openRoute({
  method: 'GET',
  path: '/healthz',
  operation: 'getHealth',
  summary: 'The process answers',
  answer: Type.Object({ status: Type.String(), role: Type.String(), version: Type.String() }),
  handler: async () => ({ status: 'ok', role: 'dashboard', version }),
});

const relay = openRoute({
  method: 'GET',
  path: '/relay/metrics',
  operation: 'relayMetrics',
  summary: 'Metrics of the control plane, with the key of whoever asks for them',
  media: ['text/plain'],
  handler: async ({ services: { controlPlane }, request }) => {
    if (controlPlane) return relayMetrics(controlPlane, request.headers, request.signal);
    throw vpError('ROUTE_UNKNOWN', { method: 'GET', path: '/relay/metrics' });
  },
});

const pageRoutes: readonly Route<Services, Caller>[] = [
  openRoute({
    method: 'GET',
    path: '/api/panels',
    operation: 'listPanels',
    summary: 'The charts',
    answer: PanelList,
    handler: async () => ({
      version,
      panels: panels.map(({ id, title, meaning, unit }) => ({ id, title, meaning, unit })),
    }),
  }),
  openRoute({
    method: 'GET',
    path: '/api/panels/{panel}',
    operation: 'getPanel',
    summary: 'The lines of a chart',
    params: PanelParams,
    query: RangeQuery,
    answer: PanelAnswer,
    handler: async ({ services, params, query: { range } }) => {
      const panel = panels.find(({ id }) => id === params.panel);
      if (!panel) throw vpError('INTERNAL', {});
      return services.charts(`${panel.id} ${range}`, () => readPanel(panel, askedOf(services, range)));
    },
  }),
  openRoute({
    method: 'GET',
    path: '/api/instances',
    operation: 'getInstances',
    summary: 'Instances as they are now, and alerts that are on',
    query: RangeQuery,
    answer: InstancesAnswer,
    handler: async ({ services, query: { range } }) =>
      services.instances(range, () => readInstances(askedOf(services, range))),
  }),
  openRoute({
    method: 'GET',
    path: '/api/scenarios',
    operation: 'getScenarios',
    summary: 'The slowest and the flakiest scenarios',
    query: RangeQuery,
    answer: ScenariosAnswer,
    handler: async ({ services, query: { range } }) =>
      services.scenarios(range, () => readScenarios(askedOf(services, range))),
  }),
];

function askedOf({ prometheus, clock }: Services, range: Parameters<typeof readPanel>[1]['range']) {
  return { prometheus, range, nowMs: clock.nowMs() };
}

/** Many pages may be open: the same question goes to Prometheus once in this time. */
const keptMs = 4_000;

/** Makes the handlers for `listen`. */
export function createDashboard(options: DashboardOptions): DashboardHandlers {
  const { prometheus, controlPlane, clock, log } = options;
  const services: Services = {
    prometheus,
    controlPlane,
    clock,
    charts: keptFor(keptMs, clock),
    instances: keptFor(keptMs, clock),
    scenarios: keptFor(keptMs, clock),
  };
  const appOf = (routes: readonly Route<Services, Caller>[]) =>
    createApp<Services, Caller>({
      routes,
      services,
      // No route has an action, so nobody is ever asked for a credential here.
      identify: () => Promise.reject(vpError('CREDENTIAL_MISSING', {})),
      clock,
      log,
    });
  const [app, inside] = [appOf([health, ...pageRoutes]), appOf([health, relay])];
  return {
    page: (request, env) => pageFiles(request) ?? app.fetch(request, env),
    inside: (request, env) => inside.fetch(request, env),
  };
}
