import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import {
  ChangePasswordRequest,
  Session,
  SetupLookUpRequest,
  SetupLookUpResponse,
  SetupRequest,
  SetupState,
  SignInOptions,
  SignInRequest,
  SignInResponse,
  Whoami,
} from '../../contract/identity-api.ts';
import type { RouteRequest } from '../../http/route.ts';
import type { Caller, HumanCaller } from '../../identity/caller.ts';
import type { BrowserInfo, OpenedSession } from '../../identity/sessions/opened-session.ts';
import { assertOwnOrigin, resolveSiteAddress } from '../access/site.ts';
import { closedSchema } from '../request-schemas.ts';
import { openRoute, route, type ServerRoute, toSinglePage } from '../route.ts';
import type { ServerServices } from '../services.ts';
import {
  formatClearedSessionCookie,
  formatDeviceCookie,
  formatSessionCookie,
  formatUpstreamCookie,
  readCookies,
  readUpstreamCookie,
} from './session-cookies.ts';

type PageRequest = Pick<RouteRequest<ServerServices, Caller>, 'services' | 'request' | 'address' | 'responseHeaders'>;

/** Accepts a request of our own pages without a credential, rate-limited. Throws ORIGIN_REFUSED, RATE_LIMITED. */
export function acceptPageRequest({ services, request, address }: PageRequest): BrowserInfo {
  services.openCallLimiter.take(address);
  assertOwnOrigin(request, services.publicUrls);
  const { device } = readCookies(request, resolveSiteAddress(request, services.publicUrls));
  return { address, client: request.headers.get('user-agent') ?? '', device };
}

/** Sets the cookies of the browser, and returns the proof for the page. */
export function completeSignIn(
  { services, request, responseHeaders }: PageRequest,
  openedSession: OpenedSession,
): SignInResponse {
  const site = resolveSiteAddress(request, services.publicUrls);
  responseHeaders.append('Set-Cookie', formatSessionCookie(site, openedSession.cookie));
  responseHeaders.append('Set-Cookie', formatDeviceCookie(site, openedSession.device));
  // A sign-in to a connection's server that another person started in this browser must not be finished.
  if (readUpstreamCookie(request, site) !== undefined)
    responseHeaders.append('Set-Cookie', formatUpstreamCookie(site, undefined));
  return { person: openedSession.person, proof: openedSession.proof };
}

async function whoami({ identity, version }: ServerServices, caller: HumanCaller): Promise<Whoami> {
  if (caller.kind === 'owner') return { person: null, via: 'owner_key', role: 'owner', version };
  const person = (await identity.people.find(caller.personId)) ?? null;
  return { person, via: caller.via, role: caller.role, version };
}

export const sessionRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'GET',
    path: '/api/v1/sign-in-options',
    operation: 'getSignInOptions',
    summary: 'What the sign-in page offers',
    response: SignInOptions,
    handler: async ({ services: { identity } }) => ({
      setup_needed: await identity.setup.isNeeded(),
      single_sign_on: identity.singleSignOn ? { name: identity.singleSignOn.name } : null,
    }),
  }),
  openRoute({
    method: 'GET',
    path: '/api/v1/setup',
    operation: 'getSetup',
    summary: 'Whether the first owner does not exist yet',
    response: SetupState,
    handler: async ({ services }) => ({ needed: await services.identity.setup.isNeeded() }),
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/setup/look-up',
    operation: 'lookUpSetup',
    summary: 'Whether the secret of a setup link can still be used',
    body: closedSchema(SetupLookUpRequest),
    response: SetupLookUpResponse,
    handler: async (call) => {
      acceptPageRequest(call);
      return { valid: await call.services.identity.setup.isSecretValid(call.body.secret) };
    },
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/setup',
    operation: 'setUp',
    summary: 'Create the first owner, with the secret of the setup link, and sign in; the owner key becomes invalid',
    body: closedSchema(SetupRequest),
    response: SignInResponse,
    status: 201,
    handler: async (call) =>
      completeSignIn(call, await call.services.identity.signIn.withSetupLink(call.body, acceptPageRequest(call))),
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/session',
    operation: 'signIn',
    summary: 'Sign in: sets a cookie and returns the proof that the page sends as X-VP-Proof',
    body: closedSchema(SignInRequest),
    response: SignInResponse,
    status: 201,
    handler: async (call) =>
      completeSignIn(call, await call.services.identity.signIn.withPassword(call.body, acceptPageRequest(call))),
  }),
  route({
    method: 'GET',
    path: '/api/v1/session',
    operation: 'whoAmI',
    summary: 'Who the caller is, and by which credential',
    action: 'self.read',
    response: Whoami,
    handler: ({ services, caller }) => whoami(services, caller),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/session',
    operation: 'signOut',
    summary: 'Sign out; the session is revoked at once',
    action: 'self.manage',
    handler: async ({ services, caller, request, responseHeaders }) => {
      await services.identity.sessions.revoke(caller, caller.sessionId);
      // A renewed cookie that was to be set with this response is revoked too.
      responseHeaders.delete('Set-Cookie');
      responseHeaders.append(
        'Set-Cookie',
        formatClearedSessionCookie(resolveSiteAddress(request, services.publicUrls)),
      );
    },
  }),
  route({
    method: 'PUT',
    path: '/api/v1/session/password',
    operation: 'changePassword',
    summary: 'Change the password; all other sessions of the person are revoked',
    action: 'self.manage',
    body: closedSchema(ChangePasswordRequest),
    handler: ({ services, caller, body }) => services.identity.sessions.changePassword(caller, body),
  }),
  route({
    method: 'GET',
    path: '/api/v1/sessions',
    operation: 'listSessions',
    summary: 'The caller’s sessions, most recently used first',
    action: 'self.manage',
    response: pageSchema(Session),
    handler: async ({ services, caller }) => toSinglePage(await services.identity.sessions.list(caller)),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/sessions/{session}',
    operation: 'endSession',
    summary: 'Revoke a session of the caller at once',
    action: 'self.manage',
    params: Type.Object({ session: Type.String({ maxLength: 100 }) }),
    handler: ({ services, caller, params }) => services.identity.sessions.revoke(caller, params.session),
  }),
];
