/**
 * What executors in containers reach of the control plane: their own routes, those of agents, metrics and health. It
 * stands before the whole app on listeners that containers can get at, so that these lead neither to a browser's session
 * nor to sign-in nor to anything that a person's credential opens.
 */
import { vpError } from '../errors/vp-error.ts';
import type { HttpEnv } from '../http/app.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Handler } from '../http/listen.ts';
import { problemResponse } from '../http/problem.ts';
import { authorization, type Column, isAction } from '../identity/authorization.ts';
import { isWorkersSecret } from '../identity/bearer-holder.ts';
import { serverRoutes } from './routes.ts';

/** Whoever may come in. */
const columns: readonly Column[] = ['executor', 'scrape', 'test_agent', 'product_agent'];

/** The routes behind the door, as `METHOD /path/{parameter}`. */
export const doorRoutes: readonly string[] = serverRoutes
  .filter(({ action }) => isAction(action) && columns.some((column) => column in authorization[action]))
  .map(({ method, path }) => `${method} ${path}`);

const patterns = doorRoutes.map((route) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`));

/** The door before `app`. `version` is told with the health, so that a probe knows whom it has reached. */
export function executorDoor(app: Handler, version: string): Handler {
  return async (request: Request, env: HttpEnv) => {
    const { pathname } = new URL(request.url);
    const { method } = request;
    if (method === 'GET' && pathname === '/healthz') return Response.json({ status: 'ok', version });
    try {
      if (!patterns.some((pattern) => pattern.test(`${method} ${pathname}`))) throw unknown(method, pathname);
      const token = bearerOf(request.headers);
      if (token !== undefined && isWorkersSecret(token)) return await app(request, env);
      throw vpError('EXECUTOR_DOOR_CLOSED', {});
    } catch (error) {
      return problemResponse(error);
    }
  };
}

function unknown(method: string, path: string) {
  return vpError('ROUTE_UNKNOWN', { method: method.slice(0, 20), path: path.slice(0, 200) });
}
