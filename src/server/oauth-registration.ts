/** Where programs register themselves (RFC 7591), by a way of our own: the body is bounded and looked at by us alone. */
import { VpError } from '../errors/vp-error.ts';
import { readJson } from '../http/body.ts';
import { openRoute, type ServerRoute } from './route.ts';

const bodyLimitBytes = 16 * 1024;

function answer(status: number, body: object, retryAfterSeconds?: number): Response {
  const headers = new Headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds));
  return Response.json(body, { status, headers });
}

/** The route; anybody may register a program, which by itself opens nothing. */
export const oauthRegistrationRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'POST',
    path: '/oauth/register',
    operation: 'registerClient',
    summary: 'Register a program as an OAuth client (RFC 7591); one that nobody lets in is forgotten after a week',
    media: ['application/json'],
    handler: async ({ services, request, address }) => {
      try {
        const { value } = await readJson(request, bodyLimitBytes);
        const { status, body, retryAfterSeconds } = await services.identity.oauth.register(value, address);
        return answer(status, body, retryAfterSeconds);
      } catch (error) {
        if (!(error instanceof VpError) || error.row.status >= 500) throw error;
        return answer(error.row.status, { error: 'invalid_client_metadata', error_description: error.message });
      }
    },
  }),
];
