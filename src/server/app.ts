/** The HTTP side of the control plane: everything that its listeners serve, built from the route table alone. */
import type { Hono } from 'hono';
import { createResponseEncoder } from '../http/compression.ts';
import { createApp, type HttpEnv } from '../http/create-app.ts';
import type { RawHandler, RequestHandler } from '../http/listener/request-listener.ts';
import { problemMediaType } from '../http/problem.ts';
import type { Caller } from '../identity/caller.ts';
import { openHttpMetrics } from '../metrics/http-metrics.ts';
import { authenticateRequest } from './access/authenticate-request.ts';
import { createExecutorGate } from './access/executor-gate.ts';
import { createConsoleHandler, createUnknownPageResponse, isPageRequest } from './console/console-assets.ts';
import { createDocumentationHandler } from './documentation/documentation-handler.ts';
import { createMcpHandler } from './hubs/mcp-handler.ts';
import { createOAuthHandler } from './oauth/oauth-handler.ts';
import { serverRoutes } from './route-table.ts';
import { createServices, type ServerOptions, type ServerServices } from './services.ts';

export type ServerHandlers = {
  /** The console, the documentation, then the routes. */
  readonly handler: RequestHandler;
  /** The OAuth server, and messages to hubs. */
  readonly raw: readonly RawHandler[];
  /** What containers may call. */
  readonly executorGate: RequestHandler;
};

/** Handlers for the listeners of a control plane. */
export function createServerHandlers(options: ServerOptions): ServerHandlers {
  const services = createServices(options, serverRoutes);
  const app = createRoutesApp(options, services);
  const handleConsole = createConsoleHandler();
  const handleDocumentation = createDocumentationHandler();
  const encodeResponse = createResponseEncoder();
  return {
    async handler(request, env) {
      const content = handleConsole(request) ?? handleDocumentation(request);
      const response = content ?? (await app.fetch(request, env));
      const isUnknown = response.status === 404 && isPageRequest(request) && isProblem(response) && !isApiPath(request);
      return encodeResponse(request, isUnknown ? createUnknownPageResponse() : response);
    },
    raw: [createMcpHandler(services), createOAuthHandler(services.identity.oauth, services.oauthCallLimiter)],
    executorGate: createExecutorGate((request, env) => app.fetch(request, env), services.version),
  };
}

/** A route that has a page for 404 answers with that. */
function isProblem({ headers }: Response): boolean {
  return headers.get('content-type') === problemMediaType;
}

function isApiPath({ url }: Request): boolean {
  return new URL(url).pathname.startsWith('/api/');
}

/** The app of the routes alone. */
export function createServerApp(options: ServerOptions): Hono<{ Bindings: HttpEnv | undefined }> {
  return createRoutesApp(options, createServices(options, serverRoutes));
}

function createRoutesApp(
  { checkResponses }: ServerOptions,
  services: ServerServices,
): Hono<{ Bindings: HttpEnv | undefined }> {
  const { clock, log, metrics } = services;
  return createApp<ServerServices, Caller>({
    routes: serverRoutes,
    services,
    identify: (unidentified) => authenticateRequest(services, unidentified),
    clock,
    log,
    metrics: metrics && openHttpMetrics(metrics),
    checkResponses,
  });
}
