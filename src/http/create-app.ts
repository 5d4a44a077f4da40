/**
 * Creates a Hono app from a list of routes. Checks of a request, in order: path and method (404, 405), credential (401,
 * 403), path, query and headers (400), media type and size of the body (415, 413), body (400). Then the handler runs; its
 * errors become problem responses.
 */
import type { TSchema } from '@sinclair/typebox';
import { type Context, Hono } from 'hono';
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import { createErrorResponse, type FailedRequest } from './error-response.ts';
import type { ListenerLog } from './log.ts';
import { createProblemResponse } from './problem.ts';
import { anyoneAction, type Route, type RouteCaller, type RouteDescription } from './route.ts';
import { createValidator, type Validator } from './schema/validator.ts';

/** Added to a request by the listener; empty without one. */
export type HttpEnv = {
  readonly requestId?: string;
  readonly closing?: AbortSignal;
  /** Address of the caller. */
  readonly address?: string;
};
/** A request that is not authenticated yet; headers set here are added to the response. */
export type UnauthenticatedRequest = {
  readonly request: Request;
  readonly address: string;
  readonly responseHeaders: Headers;
};

type AppContext = Context<{ Bindings: HttpEnv | undefined }>;

/** `services` is passed to every handler. */
export type AppOptions<S, C extends RouteCaller> = {
  readonly routes: readonly Route<S, C>[];
  readonly services: S;
  /** Authenticates the caller of a request. Throws CREDENTIAL_MISSING, CREDENTIAL_INVALID. */
  identify(unidentified: UnauthenticatedRequest): Promise<C>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: ListenerLog;
  readonly metrics?: HttpMetrics | undefined;
  /** Checks responses against their schemas (tests only: it doubles the cost of a response). */
  readonly checkResponses?: boolean | undefined;
};

/** Does not listen yet. Throws for a route without an action, and for two routes with the same method and path. */
export function createApp<S, C extends RouteCaller>(
  options: AppOptions<S, C>,
): Hono<{ Bindings: HttpEnv | undefined }> {
  assertRoutesValid(options.routes);
  const app = new Hono<{ Bindings: HttpEnv | undefined }>();
  for (const route of options.routes) app.on(route.method, honoPath(route.path), (c) => handleRoute(options, route, c));
  for (const [path, allowed] of methodsByPath(options.routes)) {
    app.all(honoPath(path), (c) => handleOtherMethod(options, path, allowed, c));
  }
  app.notFound((c) => {
    const { method, path } = c.req;
    const routeUnknown = vpError('ROUTE_UNKNOWN', { method: method.slice(0, 20), path: path.slice(0, 200) });
    return countResponse(options, 'unknown', c, createProblemResponse(routeUnknown));
  });
  return app;
}

function honoPath(template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, ':$1');
}

function assertRoutesValid(routes: readonly Pick<Route<unknown, RouteCaller>, 'action' | 'method' | 'path'>[]): void {
  const routeNames = new Set<string>();
  for (const { action, method, path } of routes) {
    const name = `${method} ${path}`;
    if (!action) throw new Error(`${name} does not say who may call it`);
    if (routeNames.has(name)) throw new Error(`${name} is listed twice`);
    routeNames.add(name);
  }
}

/** Path → its methods, as in an Allow header. */
function methodsByPath(routes: readonly { readonly method: string; readonly path: string }[]): Map<string, string> {
  const methods = new Map<string, string[]>();
  for (const { method, path } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  return new Map(
    [...methods].map(([path, pathMethods]) => [
      path,
      [...pathMethods, ...(pathMethods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '),
    ]),
  );
}

function handleOtherMethod<S, C extends RouteCaller>(
  options: AppOptions<S, C>,
  path: string,
  allowed: string,
  c: AppContext,
): Response {
  const createRefusedResponse = () =>
    createProblemResponse(vpError('METHOD_REFUSED', { path, method: c.req.method.slice(0, 20), allowed }));
  const response =
    c.req.method === 'OPTIONS'
      ? new Response(null, { status: 204, headers: { Allow: allowed } })
      : createRefusedResponse();
  return countResponse(options, path, c, response);
}

async function handleRoute<S, C extends RouteCaller>(
  options: AppOptions<S, C>,
  route: Route<S, C>,
  c: AppContext,
): Promise<Response> {
  const startedMs = options.clock.monotonicMs();
  const responseHeaders = new Headers();
  const response = await runRoute(options, route, c, responseHeaders).catch((thrown: unknown) =>
    createErrorResponse(options.log, toFailedRequest(c, route), thrown),
  );
  for (const [name, value] of responseHeaders) response.headers.append(name, value);
  const durationMs = route.stream ? undefined : options.clock.monotonicMs() - startedMs;
  return countResponse(options, route.path, c, response, durationMs);
}

async function runRoute<S, C extends RouteCaller>(
  options: AppOptions<S, C>,
  route: Route<S, C>,
  c: AppContext,
  responseHeaders: Headers,
): Promise<Response> {
  const { services } = options;
  const request = c.req.raw;
  const { address = 'unknown', requestId } = c.env ?? {};
  const unidentified = { request, requestId, address, responseHeaders };
  const caller = route.action === anyoneAction ? undefined : await options.identify(unidentified);
  const params: Record<string, string> = c.req.param();
  const value = await route.serve({ ...unidentified, services, caller, params, closing: c.env?.closing });
  if (value instanceof Response) return value;
  if (!route.response) return new Response(null, { status: 204 });
  if (options.checkResponses) assertResponseMatchesSchema(route, value);
  const body = JSON.stringify(value);
  return new Response(body, {
    status: route.status ?? 200,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'Content-Length': String(Buffer.byteLength(body)),
    },
  });
}

function toFailedRequest({ req, env }: AppContext, { hasSecretPath, path }: RouteDescription): FailedRequest {
  const { requestId, closing } = env ?? {};
  const loggedPath = hasSecretPath ? path : req.path;
  return { requestId, closing, method: req.method, path: loggedPath, hasLeft: req.raw.signal.aborted };
}

function countResponse<S, C extends RouteCaller>(
  { metrics }: AppOptions<S, C>,
  route: string,
  c: AppContext,
  response: Response,
  durationMs?: number,
): Response {
  metrics?.countResponse(route, c.req.method, response.status, durationMs);
  return response;
}

const responseValidators = new WeakMap<TSchema, Validator<unknown>>();

/** Throws INTERNAL, with the errors as detail, when a response does not match its schema. */
function assertResponseMatchesSchema(
  { operation, response }: Pick<RouteDescription, 'operation' | 'response'>,
  value: unknown,
): void {
  if (!response) return;
  const validator = responseValidators.get(response) ?? createValidator<unknown>(response);
  responseValidators.set(response, validator);
  // As on the wire, where undefined members are absent.
  const serialized: unknown = JSON.parse(JSON.stringify(value));
  if (validator.isValid(serialized)) return;
  const errors = validator.listViolations(serialized, true).map(({ where, problem }) => `response${where} ${problem}`);
  throw vpError('INTERNAL', {}, { detail: `${operation} does not match its schema: ${errors.join('; ')}` });
}
