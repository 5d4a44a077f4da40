/** Single sign-on with an external provider: the redirect there, and the callback. Cookies are as for every other sign-in. */
import { Type } from '@sinclair/typebox';
import { SingleSignOnCallback, SingleSignOnPasswordRequest, SingleSignOnResult } from '../../contract/identity-api.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { SingleSignOn } from '../../identity/single-sign-on/single-sign-on.ts';
import { resolveSiteAddress } from '../access/site.ts';
import { consoleSections } from '../console/console-assets.ts';
import { closedSchema } from '../request-schemas.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';
import { formatSingleSignOnCookie, readSingleSignOnCookie } from './session-cookies.ts';
import { acceptPageRequest, completeSignIn } from './session-routes.ts';

const singleSignOnPath = '/api/v1/single-sign-on';
/** Pages that make no sense after a sign-in. */
const pagesBeforeSignIn = ['sign-in', 'setup', 'reset-password', 'invitation', 'single-sign-on'];

/** Throws SINGLE_SIGN_ON_OFF. */
function getProvider({ identity }: ServerServices): SingleSignOn {
  if (identity.singleSignOn) return identity.singleSignOn;
  throw vpError('SINGLE_SIGN_ON_OFF', {});
}

/** The page to go to after the sign-in: a normalized path of the console, or `/`. */
export function toReturnPath(requestedPath: string): string {
  const base = 'http://console.invalid';
  const url = requestedPath.startsWith('/') ? URL.parse(requestedPath, base) : null;
  const section = url?.pathname.split('/')[1] ?? '';
  // A path that browsers would parse as another host differs from its normalized form.
  const isExact = url !== null && url.origin === base && `${url.pathname}${url.search}` === requestedPath;
  const isPage = consoleSections.includes(section) && !pagesBeforeSignIn.includes(section);
  return isExact && isPage && !requestedPath.startsWith('//') ? requestedPath : '/';
}

const redirectTo = (location: string): Response =>
  new Response(null, { status: 303, headers: { Location: location, 'Cache-Control': 'no-store' } });

export const singleSignOnRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'GET',
    path: singleSignOnPath,
    operation: 'beginSingleSignOn',
    summary: 'Redirect the browser to the provider, which redirects it to the page /single-sign-on',
    query: Type.Object({
      back: Type.Optional(
        Type.String({ maxLength: 1000, description: 'page of the console to go to after the sign-in' }),
      ),
      moved: Type.Optional(Type.Literal('1')),
    }),
    media: ['text/html'],
    handler: async ({ services, request, query, address, responseHeaders }) => {
      services.openCallLimiter.take(address);
      const provider = getProvider(services);
      const returnPath = toReturnPath(query.back ?? '/');
      const site = resolveSiteAddress(request, services.publicUrls);
      // The provider has one registered origin; the cookie must belong to the same.
      if (site.origin !== provider.origin() && query.moved === undefined)
        return redirectTo(`${provider.origin()}${singleSignOnPath}?moved=1&back=${encodeURIComponent(returnPath)}`);
      try {
        const { url, cookie } = await provider.start(returnPath);
        responseHeaders.append('Set-Cookie', formatSingleSignOnCookie(site, cookie));
        return redirectTo(url);
      } catch (error) {
        if (error instanceof VpError && error.code === 'SINGLE_SIGN_ON_UNREACHABLE')
          return redirectTo(`${returnPath}#provider-away`);
        throw error;
      }
    },
  }),
  openRoute({
    method: 'POST',
    path: singleSignOnPath,
    operation: 'finishSingleSignOn',
    summary: 'Sign in with the query of the provider’s redirect',
    body: closedSchema(SingleSignOnCallback),
    response: SingleSignOnResult,
    handler: async (call) => {
      const { services, request, body, responseHeaders } = call;
      const visit = acceptPageRequest(call);
      const site = resolveSiteAddress(request, services.publicUrls);
      const startedCookie = readSingleSignOnCookie(request, site);
      responseHeaders.append('Set-Cookie', formatSingleSignOnCookie(site, undefined));
      const outcome = await getProvider(services).finish(body.query, startedCookie, visit);
      const { back: returnPath } = outcome;
      if (outcome.kind === 'signed_in')
        return { signed_in: completeSignIn(call, outcome.session), password_needed_for: null, back: returnPath };
      responseHeaders.delete('Set-Cookie');
      responseHeaders.append('Set-Cookie', formatSingleSignOnCookie(site, outcome.cookie));
      return { signed_in: null, password_needed_for: outcome.email, back: returnPath };
    },
  }),
  openRoute({
    method: 'POST',
    path: `${singleSignOnPath}/password`,
    operation: 'connectSingleSignOn',
    summary: 'Connect the provider’s account with the local account of the same email, by the password of the latter',
    body: closedSchema(SingleSignOnPasswordRequest),
    response: SingleSignOnResult,
    handler: async (call) => {
      const { services, request, body, responseHeaders } = call;
      const visit = acceptPageRequest(call);
      const site = resolveSiteAddress(request, services.publicUrls);
      const provenCookie = readSingleSignOnCookie(request, site);
      const { session: opened, back: returnPath } = await getProvider(services).connect(
        body.password,
        provenCookie,
        visit,
      );
      responseHeaders.append('Set-Cookie', formatSingleSignOnCookie(site, undefined));
      return { signed_in: completeSignIn(call, opened), password_needed_for: null, back: returnPath };
    },
  }),
];
