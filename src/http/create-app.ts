/**
 * Creates a Hono app from a list of routes. Checks of a request, in order: path and method (404, 405), credential (401,
 * 403), path, query and headers (400), media type and size of the body (415, 413), body (400). Then the handler runs; its
 * errors become problem responses.
 */
import type { TSchema } from '@sinclair/typebox';
import { Hono } from 'hono';
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import { type AddedHeaders, LazyHeaders } from './added-headers.ts';
import { DirectRoutes } from './direct-routes.ts';
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
  readonly responseHeaders: AddedHeaders;
};

/** A request whose path was found, decoded; `params` are those of the path. */
type RoutedRequest = {
  readonly request: Request;
  readonly path: string;
  readonly env: HttpEnv | undefined;
  readonly params: Readonly<Record<string, string>>;
};

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
  const direct = new DirectRoutes<HttpEnv | undefined>();
  for (const route of options.routes) {
    const { method, path } = route;
    direct.add(method, path, (request, env) => handleRoute(options, route, { request, path, env, params: {} }));
    app.on(method, honoPath(path), ({ req, env }) =>
      handleRoute(options, route, { request: req.raw, path: req.path, env, params: req.param() }),
    );
  }
  for (const [path, allowed] of methodsByPath(options.routes)) {
    app.all(honoPath(path), ({ req }) => handleOtherMethod(options, path, allowed, req.method));
  }
  app.notFound(({ req: { method, path } }) => {
    const routeUnknown = vpError('ROUTE_UNKNOWN', { method: method.slice(0, 20), path: path.slice(0, 200) });
    return countResponse(options, 'unknown', method, createProblemResponse(routeUnknown));
  });
  const routed = app.fetch;
  app.fetch = (request, env, context) => direct.find(request)?.(request, env) ?? routed(request, env, context);
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
  method: string,
): Response {
  const createRefusedResponse = () =>
    createProblemResponse(vpError('METHOD_REFUSED', { path, method: method.slice(0, 20), allowed }));
  const response =
    method === 'OPTIONS' ? new Response(null, { status: 204, headers: { Allow: allowed } }) : createRefusedResponse();
  return countResponse(options, path, method, response);
}

async function handleRoute<S, C extends RouteCaller>(
  options: AppOptions<S, C>,
  route: Route<S, C>,
  routed: RoutedRequest,
): Promise<Response> {
  const startedMs = options.clock.monotonicMs();
  const responseHeaders = new LazyHeaders();
  const response = await runRoute(options, route, routed, responseHeaders).catch((thrown: unknown) =>
    createErrorResponse(options.log, toFailedRequest(routed, route), thrown),
  );
  responseHeaders.addTo(response);
  const durationMs = route.stream ? undefined : options.clock.monotonicMs() - startedMs;
  return countResponse(options, route.path, routed.request.method, response, durationMs);
}

async function runRoute<S, C extends RouteCaller>(
  options: AppOptions<S, C>,
  route: Route<S, C>,
  { request, env, params }: RoutedRequest,
  responseHeaders: AddedHeaders,
): Promise<Response> {
  const { services } = options;
  const { address = 'unknown', requestId, closing } = env ?? {};
  const unidentified = { request, requestId, address, responseHeaders };
  const caller = route.action === anyoneAction ? undefined : await options.identify(unidentified);
  const value = await route.serve({ ...unidentified, services, caller, params, closing });
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

function toFailedRequest({ request, path, env }: RoutedRequest, route: RouteDescription): FailedRequest {
  const { requestId, closing } = env ?? {};
  const { method, signal } = request;
  return { requestId, closing, method, path: route.hasSecretPath ? route.path : path, hasLeft: signal.aborted };
}

function countResponse<S, C extends RouteCaller>(
  { metrics }: AppOptions<S, C>,
  route: string,
  method: string,
  response: Response,
  durationMs?: number,
): Response {
  metrics?.countResponse(route, method, response.status, durationMs);
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
