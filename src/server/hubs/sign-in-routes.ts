/** Signing in to the servers of connections: the start in the console, and the redirect back. */
import { Type } from '@sinclair/typebox';
import { StartHubSignInResponse } from '../../contract/hubs/connection-use-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { buildClientMetadata, getClientMetadataUrl } from '../../hub/sign-in/client-metadata.ts';
import type { SignInResult } from '../../hub/sign-in/sign-in-service.ts';
import { getLinkOrigin, resolveSiteAddress } from '../access/site.ts';
import { formatUpstreamCookie, readUpstreamCookie } from '../identity/session-cookies.ts';
import { ConnectionPath } from '../request-schemas.ts';
import { openRoute, route, type ServerRoute } from '../route.ts';

/** The redirect target of authorization servers; not a page of the console. */
export const signInReturnPath = '/hubs/sign-in';

const signInPath = '/api/v1/hubs/{hub}/connections/{connection}/sign-in';
const ParameterText = Type.Optional(Type.String({ maxLength: 4000 }));
const Texts = Type.Array(Type.String());
/** A client ID metadata document. */
const ClientDocument = Type.Object({
  client_id: Type.String(),
  client_name: Type.String(),
  redirect_uris: Texts,
  grant_types: Texts,
  response_types: Texts,
  application_type: Type.String(),
  token_endpoint_auth_method: Type.Literal('none'),
});

function formatReturnPage({ connection, problem }: SignInResult): string {
  const page = connection ? `/hubs/${encodeURIComponent(connection.hub)}/connections` : '/hubs';
  const query = new URLSearchParams({
    ...(problem ? { problem: problem.code } : {}),
    ...(connection ? { [problem ? 'connection' : 'signed_in']: connection.name } : {}),
  });
  return `${page}?${query}`;
}

/** The redirect URI: always the same one if possible, since it is part of our client id at servers. */
function getRedirectUrl(request: Request, publicUrls: readonly URL[]): string {
  return `${getLinkOrigin(request, publicUrls)}${signInReturnPath}`;
}

export const hubSignInRoutes: readonly ServerRoute[] = [
  route({
    method: 'POST',
    path: signInPath,
    operation: 'beginHubSignIn',
    summary: 'The URL for signing in to a connection’s server (shared: owners of the hub); in a browser only',
    action: 'hub.act',
    params: ConnectionPath,
    response: StartHubSignInResponse,
    handler: async ({ services, caller, params, request, responseHeaders }) => {
      const site = resolveSiteAddress(request, services.publicUrls);
      const { hub: slug, connection: ref } = params;
      const consoleOrigin = getLinkOrigin(request, services.publicUrls);
      const page = `${consoleOrigin}/hubs/${encodeURIComponent(slug)}/connections`;
      // Finished in another browser, the person there would grant their access to the caller; another origin counts as another browser.
      if (caller.via !== 'session' || site.origin !== consoleOrigin)
        throw vpError('CONNECTION_SIGN_IN_BROWSER', { connection: ref.slice(0, 100), page });
      services.openCallLimiter.take(`sign-in ${caller.personId}`);
      const browserSecret = readUpstreamCookie(request, site) ?? services.random.token(32);
      const signInStart = await (await services.hubGateway.signIns()).start(
        { caller, slug, ref },
        {
          secret: browserSecret,
          redirectUrl: getRedirectUrl(request, services.publicUrls),
          onSessionEnd: (onEnd) => services.identity.onRevoked(caller, onEnd),
        },
      );
      responseHeaders.append('Set-Cookie', formatUpstreamCookie(site, browserSecret));
      return signInStart;
    },
  }),
  route({
    method: 'DELETE',
    path: signInPath,
    operation: 'forgetHubSignIn',
    summary: 'Remove a sign-in to a connection’s server (shared: owners of the hub)',
    action: 'hub.act',
    params: ConnectionPath,
    handler: async ({ services, caller, params: { hub: slug, connection: ref } }) =>
      (await services.hubGateway.signIns()).forget({ caller, slug, ref }),
  }),
  openRoute({
    method: 'GET',
    path: `${signInReturnPath}/client.json`,
    operation: 'describeHubClient',
    summary: 'Client metadata of this control plane for the authorization servers of connections',
    response: ClientDocument,
    handler: async ({ services, request, address }) => {
      services.openCallLimiter.take(address);
      const redirectUrl = getRedirectUrl(request, services.publicUrls);
      const client_id = getClientMetadataUrl(redirectUrl);
      return { client_id, ...buildClientMetadata(redirectUrl), token_endpoint_auth_method: 'none' as const };
    },
  }),
  openRoute({
    method: 'GET',
    path: signInReturnPath,
    operation: 'finishHubSignIn',
    summary: 'The redirect from a connection’s authorization server: stores the sign-in, and redirects to the console',
    query: Type.Object({ code: ParameterText, state: ParameterText, iss: ParameterText, error: ParameterText }),
    media: ['text/html'],
    handler: async ({ services, request, query, address }) => {
      services.openCallLimiter.take(address);
      const browser = readUpstreamCookie(request, resolveSiteAddress(request, services.publicUrls));
      const signInEnd = await (await services.hubGateway.signIns()).finish(query, browser);
      const { connection, problem } = signInEnd;
      if (problem) {
        const logFields = { hub: connection?.hub, name: connection?.name, code: problem.code, address };
        services.identity.logSecurityEvent({ event: 'hub_sign_in_failed', level: 'warn', ...logFields });
      }
      const headers = {
        Location: formatReturnPage(signInEnd),
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
      };
      return new Response(null, { status: 303, headers });
    },
  }),
];
