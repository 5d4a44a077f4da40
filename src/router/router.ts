/**
 * The router: forwards requests to the executor of the instance in the agent's token. It stores nothing and trusts nothing:
 * the token only selects the executor, which verifies it.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { Hono } from 'hono';
import { type AgentTokenClaims, parseAgentToken } from '../contract/agents/agent-token.ts';
import type { Clock } from '../environment/clock.ts';
import { version } from '../environment/version.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { authenticateBearer, readBearerToken } from '../http/bearer.ts';
import { readBytes } from '../http/body.ts';
import { createApp, type HttpEnv } from '../http/create-app.ts';
import type { ListenerLimits } from '../http/listener/limits.ts';
import type { ListenerLog } from '../http/log.ts';
import { createMetricsResponse } from '../http/metrics-response.ts';
import { toProblemBody } from '../http/problem.ts';
import { createRouteFactories, type Route, type RouteCaller } from '../http/route.ts';
import { openHttpMetrics } from '../metrics/http-metrics.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ExecutorLocation, FindExecutor } from './executor-locator.ts';
import type { GetToolDefinitions } from './local-response.ts';
import { relayToExecutor } from './relay.ts';
import type { Upstream } from './upstream.ts';

export type RouterOptions = {
  readonly findExecutor: FindExecutor;
  readonly upstream: Upstream;
  readonly getToolDefinitions: GetToolDefinitions;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: ListenerLog;
  /** Metrics and the key for reading them; undefined when metrics are off. */
  readonly scrapeAccess?: { readonly metrics: Metrics; readonly key: string } | undefined;
};

/** A scenario has at most 256 KiB. */
const bodyLimitBytes = 4 * 1024 * 1024;

/** For its listener: an executor may wait 120 s for a run without sending data. */
export const routerLimits: Partial<ListenerLimits> = { stalledMs: 180_000, headerBytes: 16_384 };

/** Response of `/healthz`, by which another router recognizes this one. */
export const RouterHealth = Type.Object({
  status: Type.Literal('ok'),
  role: Type.Literal('router'),
  version: Type.String(),
});

type RouterServices = Pick<RouterOptions, 'findExecutor' | 'upstream' | 'getToolDefinitions' | 'log' | 'scrapeAccess'>;
type RouterScrapeCaller = { readonly kind: 'scrape' };
const { route, openRoute } = createRouteFactories<RouterServices, RouteCaller, { metrics: RouterScrapeCaller }>({
  allows: (caller, _action): caller is RouterScrapeCaller => caller.kind === 'scrape',
});

/** Every route of the router. `/mcp` needs a token, which the executor verifies. */
export const routerRoutes: readonly Route<RouterServices, RouteCaller>[] = [
  openRoute({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealth',
    summary: 'The process responds',
    response: RouterHealth,
    handler: async () => ({ status: 'ok' as const, role: 'router' as const, version }),
  }),
  openRoute({
    method: 'POST',
    path: '/mcp',
    operation: 'callTools',
    summary: 'The tools of the executor that the bearer token names',
    credential: 'an agent token',
    stream: true,
    media: ['application/json', 'text/event-stream'],
    handler: async ({ services, request }) => handleToolCall(services, request),
  }),
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Metrics in the text format of Prometheus, for the scrape key',
    action: 'metrics',
    media: ['text/plain'],
    handler: ({ services }) => createMetricsResponse(services.scrapeAccess?.metrics),
  }),
];

/** The `fetch` of the app is a handler for `listen`. */
export function createRouter(options: RouterOptions): Hono<{ Bindings: HttpEnv | undefined }> {
  const { findExecutor, upstream, getToolDefinitions, clock, log, scrapeAccess } = options;
  return createApp<RouterServices, RouteCaller>({
    routes: routerRoutes,
    services: { findExecutor, upstream, getToolDefinitions, log, scrapeAccess },
    // Callers of tools are authenticated by the executor; here only Prometheus is.
    identify: ({ request }) =>
      authenticateBearer(request.headers, async (token) => authenticateScraper(token, scrapeAccess?.key)),
    clock,
    log,
    metrics: scrapeAccess && openHttpMetrics(scrapeAccess.metrics),
  });
}

/** Compares in constant time. */
function authenticateScraper(token: string, key: string | undefined): RouterScrapeCaller | undefined {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return key !== undefined && timingSafeEqual(digest(token), digest(key)) ? { kind: 'scrape' } : undefined;
}

async function handleToolCall(services: RouterServices, request: Request): Promise<Response> {
  try {
    const { claims, where: location } = resolveDestination(request.headers, services.findExecutor);
    const { headers, signal } = request;
    const body = await readJsonBytes(request);
    return await relayToExecutor(services, claims, location, { headers, body, signal });
  } catch (error) {
    if (error instanceof VpError && error.row.visibility === 'public') return createRefusalResponse(error);
    throw error;
  }
}

/** Throws ROUTER_TOKEN_UNRECOGNIZED. */
function resolveDestination(
  headers: Headers,
  findExecutor: FindExecutor,
): { claims: AgentTokenClaims; where: ExecutorLocation } {
  const createTokenError = (problem: string): VpError => vpError('ROUTER_TOKEN_UNRECOGNIZED', { problem });
  if (!headers.has('authorization')) throw createTokenError('the request has no token');
  const claims = parseAgentToken(readBearerToken(headers) ?? '');
  if (!claims) throw createTokenError('it does not have the form of an agent token');
  const location = findExecutor(claims.instance);
  if (!location) throw createTokenError(`no executor of instance ${claims.instance} is known here`);
  return { claims, where: location };
}

/** The unchanged bytes of a JSON body. Throws MEDIA_TYPE_REFUSED, BODY_TOO_LARGE, BODY_NOT_JSON. */
async function readJsonBytes(request: Request): Promise<Uint8Array> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw vpError('MEDIA_TYPE_REFUSED', { type: type?.slice(0, 100) || '(none)' });
  const bytes = await readBytes(request, bodyLimitBytes);
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw vpError('BODY_NOT_JSON', {}, { cause });
  }
  return bytes;
}

/** A refusal in the form whose message MCP clients display. */
function createRefusalResponse(error: VpError): Response {
  const { code, detail, cure } = toProblemBody(error);
  const message = `${detail}. ${cure}`;
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  if (error.row.status === 401) headers.set('WWW-Authenticate', 'Bearer realm="vp", error="invalid_token"');
  const body = { jsonrpc: '2.0', id: null, error: { code: -32000, message, data: { code, cure } } };
  return new Response(JSON.stringify(body), { status: error.row.status, headers });
}
