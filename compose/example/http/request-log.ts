import type { MiddlewareHandler } from 'hono';
import type { ExampleEnv, Services } from './context.ts';
import type { Level } from './event-log.ts';
import { requestIdOf } from './request-id.ts';

const longestPath = 512;

function levelOf(status: number): Level {
  if (status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

/**
 * Gives the request its id, answers it in `X-Request-Id`, and writes one line per request before the answer leaves: who
 * has the answer can find the line. The query is left out, because people put secrets there.
 */
export function requestLog({ events, clock, newId }: Services): MiddlewareHandler<ExampleEnv> {
  return async (c, next) => {
    const startedMs = clock.monotonicMs();
    const requestId = requestIdOf(c.req.header('X-Request-Id'), newId);
    c.set('requestId', requestId);
    await next();
    c.header('X-Request-Id', requestId);
    const status = c.res.status;
    const durationMs = Math.round((clock.monotonicMs() - startedMs) * 1000) / 1000;
    const path = c.req.path.slice(0, longestPath);
    events(levelOf(status), 'request', { method: c.req.method, path, status, durationMs, requestId });
  };
}
