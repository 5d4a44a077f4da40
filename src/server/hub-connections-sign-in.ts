/** Signing in to the servers of connections: on the way there from the console, and back from them. */
import { Type } from '@sinclair/typebox';
import { HubSignInBegun } from '../contract/hub-connect-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { HubSignIns, SignInEnd } from '../hub/connections-sign-in.ts';
import { clientDescription, clientDocumentUrl } from '../hub/upstream/client-description.ts';
import { openRoute, route, type ServerRoute } from './route.ts';
import { upstreamCookie, upstreamCookieOf } from './session-cookies.ts';
import { linkOrigin, siteOf } from './site.ts';

/** Where browsers come back to; no page of the console. */
export const signInReturnPath = '/hubs/sign-in';

const path = '/api/v1/hubs/{hub}/connections/{connection}/sign-in';
const Ref = Type.String({ minLength: 1, maxLength: 200 });
const ConnectionPath = Type.Object({ hub: Ref, connection: Ref });
const told = Type.Optional(Type.String({ maxLength: 4000 }));
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

function pageOf({ connection, problem }: SignInEnd): string {
  const page = connection ? `/hubs/${encodeURIComponent(connection.hub)}/connections` : '/hubs';
  const query = new URLSearchParams({
    ...(problem ? { problem: problem.code } : {}),
    ...(connection ? { [problem ? 'connection' : 'signed_in']: connection.name } : {}),
  });
  return `${page}?${query}`;
}

/** Where browsers come back to: one address as far as possible, since servers know us as a client by it. */
function redirectUrlOf(request: Request, publicUrls: readonly URL[]): string {
  return `${linkOrigin(request, publicUrls)}${signInReturnPath}`;
}

/** What the routes are made of; `secret` mints what a browser is known by. */
export type SignInRouteParts = { readonly signIns: () => Promise<HubSignIns>; readonly secret: () => string };

/** The routes. */
export function hubSignInRoutes({ signIns, secret }: SignInRouteParts): ServerRoute[] {
  return [
    route({
      method: 'POST',
      path,
      operation: 'beginHubSignIn',
      summary:
        'Where the browser goes to sign in to a connection’s server (shared: owners of the hub); in a browser only',
      action: 'hub.act',
      params: ConnectionPath,
      answer: HubSignInBegun,
      handler: async ({ services, caller, params, request, answerHeaders }) => {
        const site = siteOf(request, services.publicUrls);
        const { hub: slug, connection: ref } = params;
        const home = linkOrigin(request, services.publicUrls);
        const page = `${home}/hubs/${encodeURIComponent(slug)}/connections`;
        // Whoever finishes it in another browser would give their own leave to somebody else; at another address it is one.
        if (caller.via !== 'session' || site.origin !== home)
          throw vpError('CONNECTION_SIGN_IN_BROWSER', { connection: ref.slice(0, 100), page });
        services.openCalls.take(`sign-in ${caller.personId}`);
        const own = upstreamCookieOf(request, site) ?? secret();
        const begun = await (await signIns()).begin(
          { caller, slug, ref },
          {
            secret: own,
            redirectUrl: redirectUrlOf(request, services.publicUrls),
            onEnd: (ended) => services.identity.onEnd(caller, ended),
          },
        );
        answerHeaders.append('Set-Cookie', upstreamCookie(site, own));
        return begun;
      },
    }),
    route({
      method: 'DELETE',
      path,
      operation: 'forgetHubSignIn',
      summary: 'Forget a sign-in to a connection’s server (shared: owners of the hub)',
      action: 'hub.act',
      params: ConnectionPath,
      handler: async ({ caller, params: { hub: slug, connection: ref } }) =>
        (await signIns()).forget({ caller, slug, ref }),
    }),
    openRoute({
      method: 'GET',
      path: `${signInReturnPath}/client.json`,
      operation: 'describeHubClient',
      summary: 'What this control plane is as a client of connections’ authorization servers',
      answer: ClientDocument,
      handler: async ({ services, request, address }) => {
        services.openCalls.take(address);
        const redirectUrl = redirectUrlOf(request, services.publicUrls);
        const client_id = clientDocumentUrl(redirectUrl);
        return { client_id, ...clientDescription(redirectUrl), token_endpoint_auth_method: 'none' as const };
      },
    }),
    openRoute({
      method: 'GET',
      path: signInReturnPath,
      operation: 'finishHubSignIn',
      summary: 'The way back from a connection’s server: keeps the sign-in, and leads to the console',
      query: Type.Object({ code: told, state: told, iss: told, error: told }),
      media: ['text/html'],
      handler: async ({ services, request, query, address }) => {
        services.openCalls.take(address);
        const browser = upstreamCookieOf(request, siteOf(request, services.publicUrls));
        const end = await (await signIns()).finish(query, browser);
        const { connection, problem } = end;
        if (problem) {
          const about = { hub: connection?.hub, name: connection?.name, code: problem.code, address };
          services.identity.tell({ event: 'hub_sign_in_failed', level: 'warn', ...about });
        }
        const headers = { Location: pageOf(end), 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
        return new Response(null, { status: 303, headers });
      },
    }),
  ];
}
