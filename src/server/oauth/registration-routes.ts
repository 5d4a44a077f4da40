/** Dynamic client registration (RFC 7591), not left to the OAuth server: we limit and validate the body ourselves. */
import { VpError } from '../../errors/vp-error.ts';
import { readJsonBody } from '../../http/body.ts';
import { openRoute, type ServerRoute } from '../route.ts';

const bodyLimitBytes = 16 * 1024;

function createRegistrationResponse(status: number, body: object, retryAfterSeconds?: number): Response {
  const headers = new Headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds));
  return Response.json(body, { status, headers });
}

/** Anyone may register a client, which by itself gives no access. */
export const oauthRegistrationRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'POST',
    path: '/oauth/register',
    operation: 'registerClient',
    summary: 'Register an OAuth client (RFC 7591); a client without consent is removed after a week',
    media: ['application/json'],
    handler: async ({ services, request, address }) => {
      try {
        const { value } = await readJsonBody(request, bodyLimitBytes);
        const { status, body, retryAfterSeconds } = await services.identity.oauth.register(value, address);
        return createRegistrationResponse(status, body, retryAfterSeconds);
      } catch (error) {
        if (!(error instanceof VpError) || error.row.status >= 500) throw error;
        return createRegistrationResponse(error.row.status, {
          error: 'invalid_client_metadata',
          error_description: error.message,
        });
      }
    },
  }),
];
