import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { ApiError, apiErrorResponse } from './api-error.ts';
import type { ExampleEnv } from './context.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Requires `Authorization: Bearer <apiToken>` (RFC 6750); other requests get 401. */
export function bearer(apiToken: string): MiddlewareHandler<ExampleEnv> {
  const expected = digest(apiToken);
  return async (c, next) => {
    const sent = /^Bearer +(\S+)$/i.exec(c.req.header('Authorization') ?? '')?.[1];
    // Digests have equal length, so the comparison takes constant time.
    if (sent !== undefined && timingSafeEqual(digest(sent), expected)) return await next();
    const message = sent === undefined ? 'a bearer token is needed' : 'the bearer token is not valid';
    const challenge = sent === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
    return apiErrorResponse(c, new ApiError('unauthorized', message), { 'WWW-Authenticate': challenge });
  };
}
