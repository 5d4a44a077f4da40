/** The executor's own HTTP app: direct runs, status, and the agents' tools. Its listener checks Host. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { Hono } from 'hono';
import { ReportSchema } from '../contract/report-schema.ts';
import { nullable, RunIdSchema, ScenarioText } from '../contract/schemas.ts';
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import { authenticateBearer } from '../http/bearer.ts';
import { createApp, type HttpEnv } from '../http/create-app.ts';
import type { ListenerLimits } from '../http/listener/limits.ts';
import type { ListenerLog } from '../http/log.ts';
import { createMetricsResponse } from '../http/metrics-response.ts';
import { createRouteFactories, type Route } from '../http/route.ts';
import { openHttpMetrics } from '../metrics/http-metrics.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { maxCompleteLength } from '../scenario/text-limits.ts';
import type { AgentEndpoint } from './agents/agent-endpoint.ts';
import type { Executor } from './executor.ts';

/** The holder of the executor's key, or Prometheus. */
export type LocalCaller = { readonly kind: 'executor' | 'scrape' };

export type LocalApiOptions = {
  readonly executor: Pick<Executor, 'runDirect' | 'probe' | 'status'>;
  readonly version: string;
  /** The caller that a bearer token authenticates; undefined when the token is unknown. */
  authenticate(token: string): Promise<LocalCaller | undefined>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: ListenerLog;
  readonly metrics?: Metrics | undefined;
  /** Undefined when agents are not served. */
  readonly agents?: AgentEndpoint | undefined;
};

/** A direct run is answered at its end, which a scenario may delay by up to 600 s. */
export const localApiLimits: Partial<ListenerLimits> = { stalledMs: 660_000 };

const DirectRunBody = Type.Object({ text: ScenarioText });

const LocalStatus = Type.Object({
  version: Type.String(),
  state: Type.String(),
  instance: nullable(Type.String()),
  run: nullable(RunIdSchema),
  direct_run: Type.Boolean(),
  /** Why the control plane is unreachable; null while it is reachable. */
  problem: nullable(Type.String()),
  reports_waiting: Type.Integer(),
  reports_refused: Type.Integer(),
});

type Services = Pick<LocalApiOptions, 'executor' | 'version' | 'metrics' | 'agents'>;
const agentPath = '/mcp';
type Actions = { direct: LocalCaller; metrics: LocalCaller };
const callerKindByAction = { direct: 'executor', metrics: 'scrape' } as const;
const { route, openRoute } = createRouteFactories<Services, LocalCaller, Actions>({
  allows: (caller, action): caller is LocalCaller => caller.kind === callerKindByAction[action],
});

/** Every route of the executor. Without agents `/mcp` is not served. */
export const localRoutes: readonly Route<Services, LocalCaller>[] = [
  openRoute({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealth',
    summary: 'The process responds',
    response: Type.Object({ status: Type.String() }),
    handler: async () => ({ status: 'ok' }),
  }),
  route({
    method: 'GET',
    path: '/v1/status',
    operation: 'getStatus',
    summary: 'What the executor is doing, and whether it reaches its control plane',
    action: 'direct',
    response: LocalStatus,
    handler: async ({ services: { executor, version } }) => {
      const { state, instance, run, directRun, problem, waiting, refused } = await executor.status();
      const status = { version, state, instance: instance ?? null, run: run ?? null, direct_run: directRun };
      return { ...status, problem: problem ?? null, reports_waiting: waiting, reports_refused: refused };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/runs',
    operation: 'runDirect',
    summary: 'Run a scenario now and return its report; refused while another run uses the executor',
    action: 'direct',
    body: DirectRunBody,
    // JSON may escape one character as six.
    bodyLimitBytes: 6 * maxCompleteLength + 1024,
    response: ReportSchema,
    handler: async ({ services, body }) => services.executor.runDirect(body.text),
  }),
  route({
    method: 'POST',
    path: '/v1/probes',
    operation: 'probe',
    summary: 'Send the request of a scenario now and return its report, without recording a run; refused while busy',
    action: 'direct',
    body: DirectRunBody,
    bodyLimitBytes: 6 * maxCompleteLength + 1024,
    response: ReportSchema,
    handler: async ({ services, body, whileConnected }) =>
      whileConnected((signal) => services.executor.probe(body.text, signal)),
  }),
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Metrics in the text format of Prometheus, for the scrape key',
    action: 'metrics',
    media: ['text/plain'],
    handler: ({ services }) => createMetricsResponse(services.metrics),
  }),
  // The endpoint checks agent tokens itself, because its errors are JSON-RPC.
  openRoute({
    method: 'POST',
    path: agentPath,
    operation: 'mcp',
    summary: 'Tools of agents over MCP, with an agent token',
    credential: 'an agent token',
    media: ['application/json', 'text/event-stream'],
    stream: true,
    handler: async ({ services: { agents }, request, closing }) => {
      if (!agents) throw vpError('ROUTE_UNKNOWN', { method: 'POST', path: agentPath });
      return agents.handle(request, closing);
    },
  }),
];

/** The app's `fetch` is a handler for `listen`. */
export function createLocalApi(options: LocalApiOptions): Hono<{ Bindings: HttpEnv | undefined }> {
  const { executor, version, clock, log, metrics, agents } = options;
  return createApp<Services, LocalCaller>({
    routes: agents ? localRoutes : localRoutes.filter(({ path }) => path !== agentPath),
    services: { executor, version, metrics, agents },
    identify: ({ request }) => authenticateBearer(request.headers, (token) => options.authenticate(token)),
    clock,
    log,
    metrics: metrics && openHttpMetrics(metrics),
  });
}

/** Compares tokens with `key` and `scrapeKey` in constant time. */
export function createKeyAuthenticator(
  key: string,
  scrapeKey?: string,
): (token: string) => Promise<LocalCaller | undefined> {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const keyDigest = digest(key);
  const scrapeDigest = scrapeKey === undefined ? undefined : digest(scrapeKey);
  return async (token) => {
    const presented = digest(token);
    if (timingSafeEqual(presented, keyDigest)) return { kind: 'executor' };
    return scrapeDigest && timingSafeEqual(presented, scrapeDigest) ? { kind: 'scrape' } : undefined;
  };
}
