/** Whom a request comes from: a bearer token, or the two halves of a browser's session. */
import type { Control } from '../control/control.ts';
import { credentialInvalid } from '../errors/credential-invalid.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Unidentified } from '../http/app.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Caller } from '../identity/caller.ts';
import type { Identity } from '../identity/identity.ts';
import { readCookies, sessionCookie } from './session-cookies.ts';
import { demandOwnPage, siteOf } from './site.ts';

/** The header with the half that the page keeps. */
export const proofHeader = 'x-vp-proof';

/** What is asked about credentials. */
export type Doorkeepers = {
  readonly control: Pick<Control, 'authenticate'>;
  readonly identity: Pick<Identity, 'bearer' | 'sessions'>;
  readonly publicUrls: readonly URL[];
};

/** Throws CREDENTIAL_MISSING, CREDENTIAL_INVALID, ORIGIN_REFUSED. */
export async function identify(doorkeepers: Doorkeepers, arriving: Unidentified): Promise<Caller> {
  const { request } = arriving;
  const byToken = request.headers.has('authorization');
  const caller = byToken ? await byBearer(doorkeepers, arriving) : await bySession(doorkeepers, arriving);
  if (caller) return caller;
  throw credentialInvalid(byToken ? bearerOf(request.headers) : undefined);
}

async function byBearer({ control, identity }: Doorkeepers, { request, address }: Unidentified) {
  const token = bearerOf(request.headers);
  if (token === undefined) return undefined;
  return (await control.authenticate(token)) ?? (await identity.bearer(token, address));
}

async function bySession(
  { identity, publicUrls }: Doorkeepers,
  { request, address, answerHeaders }: Unidentified,
): Promise<Caller | undefined> {
  const site = siteOf(request, publicUrls);
  const { session: cookie } = readCookies(request, site);
  if (cookie === undefined) throw vpError('CREDENTIAL_MISSING', {});
  if (request.method !== 'GET' && request.method !== 'HEAD') demandOwnPage(request, publicUrls);
  const proof = request.headers.get(proofHeader)?.slice(0, 200);
  const used = await identity.sessions.use({ cookie, proof }, { address });
  if (used?.cookie !== undefined) answerHeaders.append('Set-Cookie', sessionCookie(site, used.cookie));
  return used?.caller;
}
