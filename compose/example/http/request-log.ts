import type { MiddlewareHandler } from 'hono';
import type { ExampleEnv, Services } from './context.ts';
import type { Level } from './event-log.ts';
import { getRequestId } from './request-id.ts';

const maxLoggedPathLength = 512;

function getLevel(status: number): Level {
  if (status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

/**
 * Sets the request's id, returns it in `X-Request-Id`, and writes one line per request before the response is sent: a caller
 * with a response can find its line. The query is omitted, because it may contain secrets.
 */
export function requestLog({ events, clock, newId }: Services): MiddlewareHandler<ExampleEnv> {
  return async (c, next) => {
    const startedMs = clock.monotonicMs();
    const requestId = getRequestId(c.req.header('X-Request-Id'), newId);
    c.set('requestId', requestId);
    await next();
    c.header('X-Request-Id', requestId);
    const status = c.res.status;
    const durationMs = Math.round((clock.monotonicMs() - startedMs) * 1000) / 1000;
    const path = c.req.path.slice(0, maxLoggedPathLength);
    events(getLevel(status), 'request', { method: c.req.method, path, status, durationMs, requestId });
  };
}
