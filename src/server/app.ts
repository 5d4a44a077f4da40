/** The control plane's HTTP app: a factory, apart from listening. */
import type { Hono } from 'hono';
import type { Control } from '../control/control.ts';
import type { Clock } from '../environment/clock.ts';
import { createApp, type HttpEnv } from '../http/app.ts';
import type { Log } from '../http/log.ts';
import type { HubService } from '../hub/hubs-service.ts';
import type { Caller } from '../identity/caller.ts';
import type { Identity } from '../identity/identity.ts';
import { httpMetrics } from '../metrics/http-metrics.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { defaultEvents, type EventSettings } from './event-feed.ts';
import { identify } from './identify.ts';
import { openapiDocument } from './openapi.ts';
import { agentWritesAMinute, createRate } from './rate.ts';
import type { ServerRoute, ServerServices } from './route.ts';
import { serverRoutes } from './routes.ts';
import { sharedReads } from './shared-reads.ts';
import { createSlots } from './slots.ts';

/** What the app is made of. */
export type ServerOptions = {
  readonly control: Control;
  readonly identity: Identity;
  readonly hub: HubService;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Where callers reach it; told in the OpenAPI document. */
  readonly publicUrl: string;
  /** Where others reach it besides loopback; pages of these are ours. */
  readonly publicUrls?: readonly URL[];
  readonly version: string;
  /** See `ServerServices`; none unless given. */
  readonly executorSocketFolder?: () => string | undefined;
  /** All of them unless said otherwise. */
  readonly routes?: readonly ServerRoute[];
  readonly events?: Partial<EventSettings>;
  /** Checks answers against their schemas (tests only). */
  readonly checkAnswers?: boolean;
};

/** From one address, without a credential: many people may stand behind one. */
const openCallsAMinute = 120;
const codeTriesAMinute = 20;

/** Makes the app. Its `fetch` is a handler for `listen`. */
export function createServerApp(options: ServerOptions): Hono<{ Bindings: HttpEnv | undefined }> {
  const { control, identity, clock, log, metrics, publicUrl, version, routes = serverRoutes, checkAnswers } = options;
  const { publicUrls = [] } = options;
  const events = { ...defaultEvents, ...options.events };
  let document: string | undefined;
  const openapi = (): string => {
    document ??= JSON.stringify(openapiDocument(routes, version, publicUrl));
    return document;
  };
  const streams = createSlots(events.maxStreams);
  const tooMany = (address: string): void => identity.tell({ event: 'calls_limited', level: 'warn', address });
  const openCalls = createRate(clock, openCallsAMinute, 60_000, tooMany);
  const codeTries = createRate(clock, codeTriesAMinute, 60_000);
  const agentInCircles = (id: string): void =>
    identity.tell({ event: 'agent_limited', level: 'warn', agent_token: id });
  const agentWrites = createRate(clock, agentWritesAMinute, 60_000, agentInCircles);
  const doorkeepers = { control, identity, publicUrls };
  return createApp<ServerServices, Caller>({
    routes,
    services: {
      control,
      identity,
      hub: options.hub,
      clock,
      log,
      version,
      publicUrls,
      metrics,
      events,
      reads: sharedReads(control.changes),
      executorSocketFolder: options.executorSocketFolder ?? (() => undefined),
      streams,
      openCalls,
      codeTries,
      agentWrites,
      openapi,
    },
    identify: (arriving) => identify(doorkeepers, arriving),
    clock,
    log,
    metrics: metrics && httpMetrics(metrics),
    checkAnswers,
  });
}
