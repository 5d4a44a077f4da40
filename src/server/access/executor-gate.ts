/**
 * Limits what containers can call on the control plane: routes of executors and agents, metrics and health. It wraps the
 * app on listeners that containers can reach, so that these give access neither to sign-in nor to anything that a session
 * or a person's credential may call.
 */
import { vpError } from '../../errors/vp-error.ts';
import { readBearerToken } from '../../http/bearer.ts';
import type { HttpEnv } from '../../http/create-app.ts';
import type { RequestHandler } from '../../http/listener/request-listener.ts';
import { createProblemResponse } from '../../http/problem.ts';
import { authorizationTable, type CallerKind, isAction } from '../../identity/authorization.ts';
import { isServiceCredential } from '../../identity/identity.ts';
import { serverRoutes } from '../route-table.ts';

const allowedKinds: readonly CallerKind[] = ['executor', 'scrape', 'test_agent', 'product_agent'];

/** The routes that containers may call, as `METHOD /path/{parameter}`. */
export const executorGateRoutes: readonly string[] = serverRoutes
  .filter(({ action }) => isAction(action) && allowedKinds.some((kind) => kind in authorizationTable[action]))
  .map(({ method, path }) => `${method} ${path}`);

const patterns = executorGateRoutes.map((route) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`));

/** Wraps `app`. `/healthz` includes the version, so that a probe can tell which control plane it has reached. */
export function createExecutorGate(app: RequestHandler, version: string): RequestHandler {
  return async (request: Request, env: HttpEnv) => {
    const { pathname } = new URL(request.url);
    const { method } = request;
    if (method === 'GET' && pathname === '/healthz') return Response.json({ status: 'ok', version });
    try {
      if (!patterns.some((pattern) => pattern.test(`${method} ${pathname}`)))
        throw createRouteUnknownError(method, pathname);
      const token = readBearerToken(request.headers);
      if (token !== undefined && isServiceCredential(token)) return await app(request, env);
      throw vpError('EXECUTOR_DOOR_CLOSED', {});
    } catch (error) {
      return createProblemResponse(error);
    }
  };
}

function createRouteUnknownError(method: string, path: string) {
  return vpError('ROUTE_UNKNOWN', { method: method.slice(0, 20), path: path.slice(0, 200) });
}
