/** The control plane's HTTP app: a factory, apart from listening. */
import type { Hono } from 'hono';
import type { Control, Credential } from '../control/control.ts';
import type { Clock } from '../environment/clock.ts';
import { createApp, type HttpEnv } from '../http/app.ts';
import type { Log } from '../http/log.ts';
import { httpMetrics } from '../metrics/http-metrics.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { defaultEvents, type EventSettings } from './event-feed.ts';
import { openapiDocument } from './openapi.ts';
import type { ServerRoute, ServerServices } from './route.ts';
import { serverRoutes } from './routes.ts';
import { createSlots } from './slots.ts';

/** What the app is made of. */
export type ServerOptions = {
  readonly control: Control;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Where callers reach it; told in the OpenAPI document. */
  readonly publicUrl: string;
  readonly version: string;
  /** All of them unless said otherwise; the executors' own socket offers `executorRoutes` only. */
  readonly routes?: readonly ServerRoute[];
  readonly events?: Partial<EventSettings>;
  /** Checks answers against their schemas (tests only). */
  readonly checkAnswers?: boolean;
};

/** Makes the app. Its `fetch` is a handler for `listen`. */
export function createServerApp(options: ServerOptions): Hono<{ Bindings: HttpEnv | undefined }> {
  const { control, clock, log, metrics, publicUrl, version, routes = serverRoutes, checkAnswers } = options;
  const events = { ...defaultEvents, ...options.events };
  let document: string | undefined;
  const openapi = (): string => {
    document ??= JSON.stringify(openapiDocument(routes, version, publicUrl));
    return document;
  };
  const streams = createSlots(events.maxStreams);
  return createApp<ServerServices, Credential>({
    routes,
    services: { control, clock, log, version, metrics, events, streams, openapi },
    authenticate: (token) => control.authenticate(token),
    clock,
    log,
    metrics: metrics && httpMetrics(metrics),
    checkAnswers,
  });
}
