/** Authenticates a request by its bearer token, or by the cookie and proof of a browser session. */
import type { Control } from '../../control/control.ts';
import { createCredentialInvalidError } from '../../errors/credential-invalid-error.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readBearerToken } from '../../http/bearer.ts';
import type { UnauthenticatedRequest } from '../../http/create-app.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Identity } from '../../identity/identity.ts';
import { formatSessionCookie, readCookies } from '../identity/session-cookies.ts';
import { assertOwnOrigin, resolveSiteAddress } from './site.ts';

/** The header with the session's proof, which the page stores. */
const proofHeader = 'x-vp-proof';

export type AuthenticationServices = {
  readonly control: Pick<Control, 'authenticate'>;
  readonly identity: Pick<Identity, 'authenticateBearer' | 'sessions'>;
  readonly publicUrls: readonly URL[];
};

/** Throws CREDENTIAL_MISSING, CREDENTIAL_INVALID, ORIGIN_REFUSED. */
export async function authenticateRequest(
  services: AuthenticationServices,
  unidentified: UnauthenticatedRequest,
): Promise<Caller> {
  const { request } = unidentified;
  const hasToken = request.headers.has('authorization');
  const caller = hasToken
    ? await authenticateByToken(services, unidentified)
    : await authenticateBySession(services, unidentified);
  if (caller) return caller;
  throw createCredentialInvalidError(hasToken ? readBearerToken(request.headers) : undefined);
}

async function authenticateByToken(
  { control, identity }: AuthenticationServices,
  { request, address }: UnauthenticatedRequest,
) {
  const token = readBearerToken(request.headers);
  if (token === undefined) return undefined;
  return (await control.authenticate(token)) ?? (await identity.authenticateBearer(token, address));
}

async function authenticateBySession(
  { identity, publicUrls }: AuthenticationServices,
  { request, address, responseHeaders }: UnauthenticatedRequest,
): Promise<Caller | undefined> {
  const site = resolveSiteAddress(request, publicUrls);
  const { session: cookie } = readCookies(request, site);
  if (cookie === undefined) throw vpError('CREDENTIAL_MISSING', {});
  if (request.method !== 'GET' && request.method !== 'HEAD') assertOwnOrigin(request, publicUrls);
  const proof = request.headers.get(proofHeader)?.slice(0, 200);
  const session = await identity.sessions.authenticate({ cookie, proof }, { address });
  if (session?.cookie !== undefined) responseHeaders.append('Set-Cookie', formatSessionCookie(site, session.cookie));
  return session?.caller;
}
