/** Signing in by an outside provider: on the way there, and back. Cookies and pages are as with every other sign-in. */
import { Type } from '@sinclair/typebox';
import { SingleSignOnAnswer, SingleSignOnPassword, SingleSignOnResult } from '../contract/identity-api.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import type { SingleSignOn } from '../identity/single-sign-on/single-sign-on.ts';
import { consoleSections } from './console-assets.ts';
import { closed } from './parameters.ts';
import { openRoute, type ServerRoute, type ServerServices } from './route.ts';
import { admitPage, signedIn } from './session.ts';
import { singleSignOnCookie, singleSignOnCookieOf } from './session-cookies.ts';
import { siteOf } from './site.ts';

const path = '/api/v1/single-sign-on';
/** Pages that make no sense once somebody is signed in. */
const notBackTo = ['sign-in', 'setup', 'reset-password', 'invitation', 'single-sign-on'];

/** Throws SINGLE_SIGN_ON_OFF. */
function offered({ identity }: ServerServices): SingleSignOn {
  if (identity.singleSignOn) return identity.singleSignOn;
  throw vpError('SINGLE_SIGN_ON_OFF', {});
}

/** Where to go afterwards: a page of the console as its own address would say it, or the first one. */
export function backPath(asked: string): string {
  const base = 'http://console.invalid';
  const url = asked.startsWith('/') ? URL.parse(asked, base) : null;
  const section = url?.pathname.split('/')[1] ?? '';
  // What a browser would read as another host is written differently here than it was asked.
  const isExact = url !== null && url.origin === base && `${url.pathname}${url.search}` === asked;
  const isPage = consoleSections.includes(section) && !notBackTo.includes(section);
  return isExact && isPage && !asked.startsWith('//') ? asked : '/';
}

const away = (location: string): Response =>
  new Response(null, { status: 303, headers: { Location: location, 'Cache-Control': 'no-store' } });

/** The routes. */
export const singleSignOnRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'GET',
    path,
    operation: 'beginSingleSignOn',
    summary: 'Send the browser to the provider; it comes back to the page /single-sign-on',
    query: Type.Object({
      back: Type.Optional(Type.String({ maxLength: 1000, description: 'page of the console to go to afterwards' })),
      moved: Type.Optional(Type.Literal('1')),
    }),
    media: ['text/html'],
    handler: async ({ services, request, query, address, answerHeaders }) => {
      services.openCalls.take(address);
      const provider = offered(services);
      const back = backPath(query.back ?? '/');
      const site = siteOf(request, services.publicUrls);
      // The provider knows one address of ours; the cookie must be of the same.
      if (site.origin !== provider.origin() && query.moved === undefined)
        return away(`${provider.origin()}${path}?moved=1&back=${encodeURIComponent(back)}`);
      try {
        const { url, cookie } = await provider.begin(back);
        answerHeaders.append('Set-Cookie', singleSignOnCookie(site, cookie));
        return away(url);
      } catch (error) {
        if (error instanceof VpError && error.code === 'SINGLE_SIGN_ON_UNREACHABLE')
          return away(`${back}#provider-away`);
        throw error;
      }
    },
  }),
  openRoute({
    method: 'POST',
    path,
    operation: 'finishSingleSignOn',
    summary: 'Sign in with what the provider sent back to this browser',
    body: closed(SingleSignOnAnswer),
    answer: SingleSignOnResult,
    handler: async (call) => {
      const { services, request, body, answerHeaders } = call;
      const visit = admitPage(call);
      const site = siteOf(request, services.publicUrls);
      const begun = singleSignOnCookieOf(request, site);
      answerHeaders.append('Set-Cookie', singleSignOnCookie(site, undefined));
      const arrived = await offered(services).finish(body.query, begun, visit);
      const { back } = arrived;
      if (arrived.kind === 'signed_in')
        return { signed_in: signedIn(call, arrived.opened), password_needed_for: null, back };
      answerHeaders.delete('Set-Cookie');
      answerHeaders.append('Set-Cookie', singleSignOnCookie(site, arrived.cookie));
      return { signed_in: null, password_needed_for: arrived.email, back };
    },
  }),
  openRoute({
    method: 'POST',
    path: `${path}/password`,
    operation: 'connectSingleSignOn',
    summary: 'Connect the provider’s account with the one here that has its email, by the password of the latter',
    body: closed(SingleSignOnPassword),
    answer: SingleSignOnResult,
    handler: async (call) => {
      const { services, request, body, answerHeaders } = call;
      const visit = admitPage(call);
      const site = siteOf(request, services.publicUrls);
      const proved = singleSignOnCookieOf(request, site);
      const { opened, back } = await offered(services).connect(body.password, proved, visit);
      answerHeaders.append('Set-Cookie', singleSignOnCookie(site, undefined));
      return { signed_in: signedIn(call, opened), password_needed_for: null, back };
    },
  }),
];
