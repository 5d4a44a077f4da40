/**
 * The router: from an agent's token to the executor of its instance on this machine. It keeps nothing and believes nothing:
 * the token says where the request goes, the executor whether it is one.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { Hono } from 'hono';
import { type AgentClaim, agentClaimOf } from '../contract/agent-token.ts';
import type { Clock } from '../environment/clock.ts';
import { version } from '../environment/version.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { createApp, type HttpEnv } from '../http/app.ts';
import { bearerOf, callerOf } from '../http/bearer.ts';
import { readBytes } from '../http/body.ts';
import type { Limits } from '../http/limits.ts';
import type { Log } from '../http/log.ts';
import { metricsAnswer } from '../http/metrics-answer.ts';
import { problemOf } from '../http/problem.ts';
import { type Caller, type Route, routesFor } from '../http/route.ts';
import { httpMetrics } from '../metrics/http-metrics.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ToolsOf } from './local-answer.ts';
import { relay } from './relay.ts';
import type { Upstream } from './upstream.ts';
import type { FindExecutor, Whereabouts } from './whereabouts.ts';

/** What a router is made of. */
export type RouterOptions = {
  readonly find: FindExecutor;
  readonly upstream: Upstream;
  readonly toolsOf: ToolsOf;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  /** What is counted, and the key that it is told to; undefined where nobody scrapes. */
  readonly scraped?: { readonly metrics: Metrics; readonly key: string } | undefined;
};

/** Larger requests of agents are refused; a scenario is a quarter of a megabyte at most. */
const bodyLimitBytes = 4 * 1024 * 1024;

/** For its listener: an executor may wait 120 s for a run without a word. */
export const routerLimits: Partial<Limits> = { stalledMs: 180_000, headerBytes: 16_384 };

/** What `/healthz` says, by which another router knows this one. */
export const RouterHealth = Type.Object({
  status: Type.Literal('ok'),
  role: Type.Literal('router'),
  version: Type.String(),
});

type Services = Pick<RouterOptions, 'find' | 'upstream' | 'toolsOf' | 'log' | 'scraped'>;
type Scraper = { readonly kind: 'scrape' };
const { route, openRoute } = routesFor<Services, Caller, { metrics: Scraper }>({
  allows: (caller, _action): caller is Scraper => caller.kind === 'scrape',
});

/** All routes. Whoever has a token may call `/mcp`; whether it is one, the executor says. */
export const routerRoutes: readonly Route<Services, Caller>[] = [
  openRoute({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealth',
    summary: 'The process answers',
    answer: RouterHealth,
    handler: async () => ({ status: 'ok' as const, role: 'router' as const, version }),
  }),
  openRoute({
    method: 'POST',
    path: '/mcp',
    operation: 'callTools',
    summary: 'The tools of the executor that the bearer token names',
    stream: true,
    media: ['application/json', 'text/event-stream'],
    handler: async ({ services, request }) => answered(services, request),
  }),
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Metrics in the text format of Prometheus, for the scrape key',
    action: 'metrics',
    media: ['text/plain'],
    handler: ({ services }) => metricsAnswer(services.scraped?.metrics),
  }),
];

/** Makes the app. Its `fetch` is a handler for `listen`. */
export function createRouter(options: RouterOptions): Hono<{ Bindings: HttpEnv | undefined }> {
  const { find, upstream, toolsOf, clock, log, scraped } = options;
  return createApp<Services, Caller>({
    routes: routerRoutes,
    services: { find, upstream, toolsOf, log, scraped },
    // Whoever calls tools is looked at by the executor; here only Prometheus is asked who it is.
    identify: ({ request }) => callerOf(request.headers, async (token) => scraperOf(token, scraped?.key)),
    clock,
    log,
    metrics: scraped && httpMetrics(scraped.metrics),
  });
}

/** Without telling by time how much of the key was right. */
function scraperOf(token: string, key: string | undefined): Scraper | undefined {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return key !== undefined && timingSafeEqual(digest(token), digest(key)) ? { kind: 'scrape' } : undefined;
}

async function answered(services: Services, request: Request): Promise<Response> {
  try {
    const { claim, where } = destination(request.headers, services.find);
    const { headers, signal } = request;
    const body = await jsonBytes(request);
    return await relay(services, claim, where, { headers, body, signal });
  } catch (error) {
    if (error instanceof VpError && error.row.visibility === 'public') return refusalResponse(error);
    throw error;
  }
}

/** Where the request's token leads. Throws ROUTER_TOKEN_UNRECOGNIZED. */
function destination(headers: Headers, find: FindExecutor): { claim: AgentClaim; where: Whereabouts } {
  const refused = (problem: string): VpError => vpError('ROUTER_TOKEN_UNRECOGNIZED', { problem });
  if (!headers.has('authorization')) throw refused('the request brings none');
  const claim = agentClaimOf(bearerOf(headers) ?? '');
  if (!claim) throw refused('it has not the form of one');
  const where = find(claim.instance);
  if (!where) throw refused(`no executor of instance ${claim.instance} is known here`);
  return { claim, where };
}

/** A body that is JSON, in the bytes it came in. Throws MEDIA_TYPE_REFUSED, BODY_TOO_LARGE, BODY_NOT_JSON. */
async function jsonBytes(request: Request): Promise<Uint8Array> {
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

/** A refusal in the form whose text clients of MCP show to people. */
function refusalResponse(error: VpError): Response {
  const { code, detail, cure } = problemOf(error);
  const message = `${detail}. ${cure}`;
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  if (error.row.status === 401) headers.set('WWW-Authenticate', 'Bearer realm="vp", error="invalid_token"');
  const body = { jsonrpc: '2.0', id: null, error: { code: -32000, message, data: { code, cure } } };
  return new Response(JSON.stringify(body), { status: error.row.status, headers });
}
