/** The executor's own HTTP app: one call to run a scenario now, one to see how it is, agents' tools. Its listener checks Host. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { Hono } from 'hono';
import { ReportSchema } from '../contract/report-schema.ts';
import { nullable, RunIdText, ScenarioText } from '../contract/words.ts';
import type { Clock } from '../environment/clock.ts';
import { createApp, type HttpEnv } from '../http/app.ts';
import { callerOf } from '../http/bearer.ts';
import type { Limits } from '../http/limits.ts';
import type { Log } from '../http/log.ts';
import { metricsAnswer } from '../http/metrics-answer.ts';
import { type Route, routesFor } from '../http/route.ts';
import { httpMetrics } from '../metrics/http-metrics.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { AgentEndpoint } from './agent-endpoint.ts';
import type { Executor } from './executor.ts';

/** Whoever has the executor's key, and Prometheus. */
export type LocalCaller = { readonly kind: 'executor' | 'scrape' };

/** What the app is made of. */
export type LocalApiOptions = {
  readonly executor: Pick<Executor, 'runDirect' | 'status'>;
  readonly version: string;
  /** What a bearer token stands for; undefined when it is not the key. */
  authenticate(token: string): Promise<LocalCaller | undefined>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Undefined where agents are not served. */
  readonly agents?: AgentEndpoint | undefined;
};

/** For its listener: a direct run is answered at its end, which a scenario may put off for 600 s. */
export const localApiLimits: Partial<Limits> = { stalledMs: 660_000 };

const DirectNew = Type.Object({ text: ScenarioText });

const LocalStatus = Type.Object({
  version: Type.String(),
  state: Type.String(),
  instance: nullable(Type.String()),
  run: nullable(RunIdText),
  direct_run: Type.Boolean(),
  /** Why the control plane is not reached; null while it is. */
  problem: nullable(Type.String()),
  reports_waiting: Type.Integer(),
  reports_refused: Type.Integer(),
});

type Services = Pick<LocalApiOptions, 'executor' | 'version' | 'metrics'>;
type Actions = { direct: LocalCaller; metrics: LocalCaller };
const callerOfAction = { direct: 'executor', metrics: 'scrape' } as const;
const { route, openRoute } = routesFor<Services, LocalCaller, Actions>({
  allows: (caller, action): caller is LocalCaller => caller.kind === callerOfAction[action],
});

/** All routes. */
export const localRoutes: readonly Route<Services, LocalCaller>[] = [
  openRoute({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealth',
    summary: 'The process answers',
    answer: Type.Object({ status: Type.String() }),
    handler: async () => ({ status: 'ok' }),
  }),
  route({
    method: 'GET',
    path: '/v1/status',
    operation: 'getStatus',
    summary: 'What the executor is doing, and whether it reaches its control plane',
    action: 'direct',
    answer: LocalStatus,
    handler: async ({ services: { executor, version } }) => {
      const { state, instance, run, directRun, problem, waiting, refused } = await executor.status();
      const known = { version, state, instance: instance ?? null, run: run ?? null, direct_run: directRun };
      return { ...known, problem: problem ?? null, reports_waiting: waiting, reports_refused: refused };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/runs',
    operation: 'runDirect',
    summary: 'Run a scenario now and answer with its report; refused while another run has the executor',
    action: 'direct',
    body: DirectNew,
    // JSON may write a character as six.
    bodyLimitBytes: 6 * 262_144 + 1024,
    answer: ReportSchema,
    handler: async ({ services, body }) => services.executor.runDirect(body.text),
  }),
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Metrics in the text format of Prometheus, for the scrape key',
    action: 'metrics',
    media: ['text/plain'],
    handler: ({ services }) => metricsAnswer(services.metrics),
  }),
];

/** The tools of agents. The endpoint checks their token itself, because its refusals are JSON-RPC. */
function agentRoute(agents: AgentEndpoint): Route<Services, LocalCaller> {
  return openRoute({
    method: 'POST',
    path: '/mcp',
    operation: 'mcp',
    summary: 'Tools of agents over MCP, with an agent token',
    media: ['application/json', 'text/event-stream'],
    stream: true,
    handler: ({ request, closing }) => agents.answer(request, closing),
  });
}

/** Makes the app. Its `fetch` is a handler for `listen`. */
export function createLocalApi(options: LocalApiOptions): Hono<{ Bindings: HttpEnv | undefined }> {
  const { executor, version, clock, log, metrics, agents } = options;
  return createApp<Services, LocalCaller>({
    routes: agents ? [...localRoutes, agentRoute(agents)] : localRoutes,
    services: { executor, version, metrics },
    identify: ({ request }) => callerOf(request.headers, (token) => options.authenticate(token)),
    clock,
    log,
    metrics: metrics && httpMetrics(metrics),
  });
}

/** Compares presented tokens with `key` and `scrapeKey`, without telling by time how much of one was right. */
export function keyCheck(key: string, scrapeKey?: string): (token: string) => Promise<LocalCaller | undefined> {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(key);
  const scrape = scrapeKey === undefined ? undefined : digest(scrapeKey);
  return async (token) => {
    const shown = digest(token);
    if (timingSafeEqual(shown, expected)) return { kind: 'executor' };
    return scrape && timingSafeEqual(shown, scrape) ? { kind: 'scrape' } : undefined;
  };
}
