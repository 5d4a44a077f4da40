/** Signing in and out, and the sessions of the caller. */
import { Type } from '@sinclair/typebox';
import { page } from '../contract/api.ts';
import {
  PasswordChange,
  Session,
  SessionNew,
  SetupNew,
  SetupState,
  SignedIn,
  SignInOptions,
  Whoami,
} from '../contract/identity-api.ts';
import type { Arrival } from '../http/route.ts';
import type { Caller, HumanCaller } from '../identity/caller.ts';
import type { Opened, Visit } from '../identity/sign-in.ts';
import { closed } from './parameters.ts';
import { openRoute, route, type ServerRoute, type ServerServices } from './route.ts';
import {
  deviceCookie,
  endedCookie,
  readCookies,
  sessionCookie,
  upstreamCookie,
  upstreamCookieOf,
} from './session-cookies.ts';
import { demandOwnPage, siteOf } from './site.ts';

type Arriving = Pick<Arrival<ServerServices, Caller>, 'services' | 'request' | 'address' | 'answerHeaders'>;

/** Lets a page of ours ask without a credential, not too often. Throws ORIGIN_REFUSED, RATE_LIMITED. */
export function admitPage({ services, request, address }: Arriving): Visit {
  services.openCalls.take(address);
  demandOwnPage(request, services.publicUrls);
  const { device } = readCookies(request, siteOf(request, services.publicUrls));
  return { address, client: request.headers.get('user-agent') ?? '', device };
}

/** Gives the browser its cookies, and the page what it is to keep. */
export function signedIn({ services, request, answerHeaders }: Arriving, opened: Opened): SignedIn {
  const site = siteOf(request, services.publicUrls);
  answerHeaders.append('Set-Cookie', sessionCookie(site, opened.cookie));
  answerHeaders.append('Set-Cookie', deviceCookie(site, opened.device));
  // What somebody else began in this browser is not finished in it any more.
  if (upstreamCookieOf(request, site) !== undefined)
    answerHeaders.append('Set-Cookie', upstreamCookie(site, undefined));
  return { person: opened.person, proof: opened.proof };
}

async function whoami({ identity, version }: ServerServices, caller: HumanCaller): Promise<Whoami> {
  if (caller.kind === 'owner') return { person: null, via: 'owner_key', role: 'owner', version };
  const person = (await identity.people.find(caller.personId)) ?? null;
  return { person, via: caller.via, role: caller.role, version };
}

/** Signing in and out. */
export const sessionRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'GET',
    path: '/api/v1/sign-in-options',
    operation: 'getSignInOptions',
    summary: 'What the sign-in page offers',
    answer: SignInOptions,
    handler: async ({ services: { identity } }) => ({
      setup_needed: await identity.setup.needed(),
      single_sign_on: identity.singleSignOn ? { name: identity.singleSignOn.name } : null,
    }),
  }),
  openRoute({
    method: 'GET',
    path: '/api/v1/setup',
    operation: 'getSetup',
    summary: 'Whether the first owner is still to be made',
    answer: SetupState,
    handler: async ({ services }) => ({ needed: await services.identity.setup.needed() }),
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/setup',
    operation: 'setUp',
    summary: 'Make the first owner, with the secret of the setup link, and sign in; the owner key ends',
    body: closed(SetupNew),
    answer: SignedIn,
    status: 201,
    handler: async (call) =>
      signedIn(call, await call.services.identity.signIn.withSetupLink(call.body, admitPage(call))),
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/session',
    operation: 'signIn',
    summary: 'Sign in: a cookie, and the proof that the page sends as X-VP-Proof',
    body: closed(SessionNew),
    answer: SignedIn,
    status: 201,
    handler: async (call) =>
      signedIn(call, await call.services.identity.signIn.withPassword(call.body, admitPage(call))),
  }),
  route({
    method: 'GET',
    path: '/api/v1/session',
    operation: 'whoAmI',
    summary: 'Who the caller is, and how it is known',
    action: 'self.read',
    answer: Whoami,
    handler: ({ services, caller }) => whoami(services, caller),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/session',
    operation: 'signOut',
    summary: 'Sign out; the session ends at once',
    action: 'self.manage',
    handler: async ({ services, caller, request, answerHeaders }) => {
      await services.identity.sessions.end(caller, caller.sessionId);
      // A secret that was to be given with this answer has ended too.
      answerHeaders.delete('Set-Cookie');
      answerHeaders.append('Set-Cookie', endedCookie(siteOf(request, services.publicUrls)));
    },
  }),
  route({
    method: 'PUT',
    path: '/api/v1/session/password',
    operation: 'changePassword',
    summary: 'Change the password; all other sessions of the person end',
    action: 'self.manage',
    body: closed(PasswordChange),
    handler: ({ services, caller, body }) => services.identity.sessions.changePassword(caller, body),
  }),
  route({
    method: 'GET',
    path: '/api/v1/sessions',
    operation: 'listSessions',
    summary: 'The caller’s sessions, last used first',
    action: 'self.manage',
    answer: page(Session),
    handler: async ({ services, caller }) => ({
      items: await services.identity.sessions.list(caller),
      next_cursor: null,
    }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/sessions/{session}',
    operation: 'endSession',
    summary: 'End a session of the caller at once',
    action: 'self.manage',
    params: Type.Object({ session: Type.String({ maxLength: 100 }) }),
    handler: ({ services, caller, params }) => services.identity.sessions.end(caller, params.session),
  }),
];
