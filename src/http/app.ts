/**
 * A Hono app made of a list of routes. A request goes: path and method found (404, 405), credential (401, 403), path,
 * query and headers (400), media type and size of the body (415, 413), body (400), handler. What a handler throws is
 * answered as a problem.
 */
import { type Context, Hono } from 'hono';
import type { Clock } from '../environment/clock.ts';
import { asVpError, vpError } from '../errors/vp-error.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import { answerCheck } from './answer-check.ts';
import type { Log } from './log.ts';
import { problemResponse } from './problem.ts';
import { anyone, type Caller, type Route } from './route.ts';

/** What a listener adds to a request; empty without one. */
export type HttpEnv = {
  readonly requestId?: string;
  readonly closing?: AbortSignal;
  /** Where the connection comes from. */
  readonly address?: string;
};
/** A request whose caller is still to be found; headers set here are sent with the answer. */
export type Unidentified = {
  readonly request: Request;
  readonly address: string;
  readonly answerHeaders: Headers;
};

type AppContext = Context<{ Bindings: HttpEnv | undefined }>;

/** What an app is made of. `services` is handed to every handler. */
export type AppOptions<S, C extends Caller> = {
  readonly routes: readonly Route<S, C>[];
  readonly services: S;
  /** Whom the credential of a request stands for. Throws CREDENTIAL_MISSING, CREDENTIAL_INVALID. */
  identify(arriving: Unidentified): Promise<C>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  readonly metrics?: HttpMetrics | undefined;
  /** Checks answers against their schemas (tests only: it costs as much as the answer). */
  readonly checkAnswers?: boolean | undefined;
};

/** Makes the app; nothing listens yet. Throws on a route without an action, and on two for one method and path. */
export function createApp<S, C extends Caller>(options: AppOptions<S, C>): Hono<{ Bindings: HttpEnv | undefined }> {
  demandActions(options.routes);
  const app = new Hono<{ Bindings: HttpEnv | undefined }>();
  for (const route of options.routes) app.on(route.method, honoPath(route.path), (c) => answer(options, route, c));
  for (const [path, allowed] of methodsByPath(options.routes)) {
    app.all(honoPath(path), (c) => otherMethod(options, path, allowed, c));
  }
  app.notFound((c) => {
    const { method, path } = c.req;
    const unknown = vpError('ROUTE_UNKNOWN', { method: method.slice(0, 20), path: path.slice(0, 200) });
    return counted(options, 'unknown', c, problemResponse(unknown));
  });
  return app;
}

function honoPath(template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, ':$1');
}

function demandActions(routes: readonly Pick<Route<unknown, Caller>, 'action' | 'method' | 'path'>[]): void {
  const seen = new Set<string>();
  for (const { action, method, path } of routes) {
    const name = `${method} ${path}`;
    if (!action) throw new Error(`${name} does not say who may call it`);
    if (seen.has(name)) throw new Error(`${name} is listed twice`);
    seen.add(name);
  }
}

/** Path → the methods it answers, as in an Allow header. */
function methodsByPath(routes: readonly { readonly method: string; readonly path: string }[]): Map<string, string> {
  const methods = new Map<string, string[]>();
  for (const { method, path } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  return new Map(
    [...methods].map(([path, own]) => [path, [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')]),
  );
}

function otherMethod<S, C extends Caller>(
  options: AppOptions<S, C>,
  path: string,
  allowed: string,
  c: AppContext,
): Response {
  const refused = () =>
    problemResponse(vpError('METHOD_REFUSED', { path, method: c.req.method.slice(0, 20), allowed }));
  const response =
    c.req.method === 'OPTIONS' ? new Response(null, { status: 204, headers: { Allow: allowed } }) : refused();
  return counted(options, path, c, response);
}

async function answer<S, C extends Caller>(
  options: AppOptions<S, C>,
  route: Route<S, C>,
  c: AppContext,
): Promise<Response> {
  const startedMs = options.clock.monotonicMs();
  const answerHeaders = new Headers();
  const response = await served(options, route, c, answerHeaders).catch((thrown: unknown) => told(options, c, thrown));
  for (const [name, value] of answerHeaders) response.headers.append(name, value);
  const durationMs = route.stream ? undefined : options.clock.monotonicMs() - startedMs;
  return counted(options, route.path, c, response, durationMs);
}

async function served<S, C extends Caller>(
  options: AppOptions<S, C>,
  route: Route<S, C>,
  c: AppContext,
  answerHeaders: Headers,
): Promise<Response> {
  const { services } = options;
  const request = c.req.raw;
  const { address = 'unknown', requestId } = c.env ?? {};
  const arriving = { request, requestId, address, answerHeaders };
  const caller = route.action === anyone ? undefined : await options.identify(arriving);
  const params: Record<string, string> = c.req.param();
  const value = await route.serve({ ...arriving, services, caller, params, closing: c.env?.closing });
  if (value instanceof Response) return value;
  if (!route.answer) return new Response(null, { status: 204 });
  if (options.checkAnswers) answerCheck(route, value);
  return new Response(JSON.stringify(value), {
    status: route.status ?? 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  });
}

/** The problem for what was thrown; what only we may know of it goes to the log. */
function told<S, C extends Caller>(options: AppOptions<S, C>, c: AppContext, thrown: unknown): Response {
  // The caller has left: nobody reads this status, which only counters see.
  if (c.req.raw.signal.aborted) return new Response(null, { status: 499 });
  if (c.env?.closing?.aborted && isAbort(thrown)) return problemResponse(vpError('SHUTTING_DOWN', {}));
  const error = asVpError(thrown);
  if (error.row.status >= 500 && error.code !== 'SHUTTING_DOWN') {
    const fields = { code: error.code, request_id: c.env?.requestId, detail: error.detail, err: error.cause };
    options.log.error({ ...fields, method: c.req.method, path: c.req.path }, error.message);
  }
  return problemResponse(error);
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}

function counted<S, C extends Caller>(
  { metrics }: AppOptions<S, C>,
  route: string,
  c: AppContext,
  response: Response,
  durationMs?: number,
): Response {
  metrics?.answered(route, c.req.method, response.status, durationMs);
  return response;
}
