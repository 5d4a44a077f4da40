/** Every refusal of the ways into a hub, with its words. The codes are the specification's. */
import type { HubRefusal } from './words.ts';

function refusal(
  status: HubRefusal['status'],
  code: HubRefusal['code'],
  words: Pick<HubRefusal, 'message' | 'cure'>,
): HubRefusal {
  return { kind: 'refused', status, code, ...words };
}

/** No credential arrived. */
export const missingToken = refusal(401, 'missing_token', {
  message: 'no token arrived',
  cure: 'send the header `Authorization: Bearer <token>`; where you do, see whether the client or a proxy drops it',
});

/** Expired, revoked, rotated or never given out: all alike. */
export const invalidToken = refusal(401, 'invalid_token', {
  message: 'the token does not hold: it is unknown, has expired, or was rotated or revoked',
  cure: 'see Manage → API Tokens in the console, or `vp tokens list`, and make or rotate one there',
});

/** The same, for what cannot have been a token of ours: its checksum says so, and tells nobody anything. */
export const mistypedToken = refusal(401, 'invalid_token', {
  message: 'this is no whole token: characters are missing, added or changed',
  cure: 'copy it again, from `vph_` to its last character; the console shows it again under Manage → API Tokens',
});

/** A program's access token of before. */
export const expiredToken = refusal(401, 'invalid_token', {
  message: 'the access token has expired',
  cure: 'the client renews it by itself; where it does not, remove the server there and add it again',
});

/** The person behind the credential does not belong to its hub. */
export const membershipRequired = refusal(403, 'membership_required', {
  message: 'whoever this token belongs to is no longer a member of its hub',
  cure: 'ask an owner of the hub to add you again, or use a token of a hub that you belong to',
});

/** The same for a program that somebody let in. */
export const grantWithoutMembership = refusal(403, 'membership_required', {
  message: 'the person who let this program in is no longer a member of the hub',
  cure: 'ask an owner of the hub to add them again; the program then goes on as before',
});

/** A token of another hub. */
export const scopeUnavailable = refusal(403, 'ERR_SCOPE_UNAVAILABLE', {
  message: 'this token is for another hub',
  cure: 'use a token of this hub, or the address /agent/mcp, where the token itself says which hub is meant',
});

/** What a program was allowed does not suffice for what it asks; it may ask its person for more. */
export function insufficientScope(scope: string): HubRefusal {
  const message = 'the program was not allowed to do this here';
  const cure = `let the program ask again, for: ${scope}; most do by themselves`;
  return { ...refusal(403, 'insufficient_scope', { message, cure }), scope };
}

/** The answer to a bad token, or to none, after too many of them. */
export function tooManyAttempts(retryAfterSeconds: number, what = 'tokens that do not hold'): HubRefusal {
  const message = `too many ${what} came from your network`;
  const cure = `wait ${retryAfterSeconds} s; a token that holds is let in meanwhile`;
  return { ...refusal(429, 'too_many_attempts', { message, cure }), retryAfterSeconds };
}

/**
 * A refusal as a response: `code` says why; `error` is the same word, for clients that look for that name. `resourceMetadata`
 * is the URL where a client learns how to sign in (RFC 9728), told with 401 and with `insufficient_scope`. `scope` is what
 * it had best ask for then.
 */
export function refusalResponse(refused: HubRefusal, resourceMetadata?: string, scope?: string): Response {
  const { status, code, message, cure, retryAfterSeconds } = refused;
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  const asksFor = refused.scope ?? (resourceMetadata === undefined ? undefined : scope);
  if (status === 401 || code === 'insufficient_scope')
    headers.set('WWW-Authenticate', challenge(code, asksFor, resourceMetadata));
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds));
  return new Response(JSON.stringify({ code, error: code, message, cure }), { status, headers });
}

function challenge(code: HubRefusal['code'], scope: string | undefined, resourceMetadata: string | undefined): string {
  const parameters = Object.entries({
    realm: 'vp hub',
    // RFC 6750 section 3.1: a request without any credential is not told of an error.
    error: code === 'missing_token' ? undefined : code,
    scope,
    resource_metadata: resourceMetadata,
  });
  const told = parameters.flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${quotable(value)}"`]));
  return `Bearer ${told.join(', ')}`;
}

/** Without what would end a quoted text (RFC 9110 section 5.6.4), or has no place in a header at all. */
function quotable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]|["\\]/g, '');
}
