/** Refusals of the hub endpoints with their messages. The codes are the specification's. */
import type { HubRefusal } from './principal.ts';

function createRefusal(
  status: HubRefusal['status'],
  code: HubRefusal['code'],
  texts: Pick<HubRefusal, 'message' | 'cure'>,
): HubRefusal {
  return { kind: 'refused', status, code, ...texts };
}

export const missingTokenRefusal = createRefusal(401, 'missing_token', {
  message: 'the request has no token',
  cure: 'send the header `Authorization: Bearer <token>`; if you do, check whether the client or a proxy drops it',
});

/** For expired, revoked, rotated and unknown tokens alike. */
export const invalidTokenRefusal = createRefusal(401, 'invalid_token', {
  message: 'the token is invalid: it is unknown, has expired, or was rotated or revoked',
  cure: 'open Manage → API Tokens in the console, or run `vp tokens list`, and create or rotate a token',
});

/** For another scheme, a token without its scheme, and text around it. */
export const noBearerRefusal = createRefusal(401, 'invalid_token', {
  message: 'the Authorization header has no bearer token',
  cure: 'send the header `Authorization: Bearer <token>`: the word Bearer, a space and the token, without quotes',
});

/** For text that cannot be one of our tokens: its checksum is wrong, so the message reveals nothing. */
export const malformedTokenRefusal = createRefusal(401, 'invalid_token', {
  message: 'the token is malformed: characters are missing, added or changed',
  cure: 'copy it again, from `vph_` to its last character; the console shows it again under Manage → API Tokens',
});

export const expiredTokenRefusal = createRefusal(401, 'invalid_token', {
  message: 'the access token has expired',
  cure: 'the client renews it automatically; if it does not, remove the server in the client and add it again',
});

export const membershipRefusal = createRefusal(403, 'membership_required', {
  message: 'the owner of this token is no longer a member of its hub',
  cure: 'ask an owner of the hub to add you again, or use a token of a hub that you belong to',
});

/** For an OAuth grant whose person has left the hub. */
export const grantMembershipRefusal = createRefusal(403, 'membership_required', {
  message: 'the person who authorized this app is no longer a member of the hub',
  cure: 'ask an owner of the hub to add them again; the app then works as before',
});

export const otherHubRefusal = createRefusal(403, 'ERR_SCOPE_UNAVAILABLE', {
  message: 'this token is for another hub',
  cure: 'use a token of this hub, or the address /agent/mcp, where the token determines the hub',
});

/** The client lacks a scope and may ask its user for more. */
export function createScopeRefusal(scope: string): HubRefusal {
  const message = 'the app was not granted the scope for this request';
  const cure = `let the app request the scope ${scope}; most apps do so automatically`;
  return { ...createRefusal(403, 'insufficient_scope', { message, cure }), scope };
}

/** `advice` follows the time to wait. */
function createLimitRefusal(retryAfterSeconds: number, message: string, advice: string): HubRefusal {
  const cure = `wait ${retryAfterSeconds} s${advice}`;
  return { ...createRefusal(429, 'too_many_attempts', { message, cure }), retryAfterSeconds };
}

export function createRateLimitRefusal(retryAfterSeconds: number, subject = 'invalid tokens'): HubRefusal {
  const message = `too many ${subject} came from your network`;
  return createLimitRefusal(retryAfterSeconds, message, '; valid tokens are accepted meanwhile');
}

/** For a caller who sends more lists than the audit records. */
export function createMessageRefusal(retryAfterSeconds: number): HubRefusal {
  const message = 'more lists and subscriptions were sent in a minute than are recorded';
  return createLimitRefusal(retryAfterSeconds, message, ', and let the client cache lists');
}

/** For a caller whose calls are refused more often than is recorded. */
export function createRefusedCallsRefusal(retryAfterSeconds: number): HubRefusal {
  const message = 'more of your calls were refused in a minute than are recorded';
  return createLimitRefusal(retryAfterSeconds, message, ', and let the client list the tools that you may call');
}

/** For a caller whose messages cost too much to read. */
export function createCostRefusal(retryAfterSeconds: number): HubRefusal {
  const message = 'this token sent too many messages that are refused or very large';
  return createLimitRefusal(retryAfterSeconds, message, ', and send smaller messages');
}

const unreadRetrySeconds = 5;

/** For a caller that does not read its responses; they are dropped with their connections. */
export const unreadRefusal: HubRefusal = {
  ...createRefusal(429, 'too_many_attempts', {
    message: 'this token has more responses than may wait for its clients to read them',
    cure: 'read the responses or close their connections, and call again',
  }),
  retryAfterSeconds: unreadRetrySeconds,
};

/**
 * The response for a refusal. `error` repeats `code` for clients that look for that name. `resourceMetadata` is the URL
 * of the protected resource metadata (RFC 9728), sent with 401 and `insufficient_scope`; `scope` is what the client
 * should request then.
 */
export function toRefusalResponse(refusal: HubRefusal, resourceMetadata?: string, scope?: string): Response {
  const { status, code, message, cure, retryAfterSeconds } = refusal;
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  const requestedScope = refusal.scope ?? (resourceMetadata === undefined ? undefined : scope);
  if (status === 401 || code === 'insufficient_scope')
    headers.set('WWW-Authenticate', buildChallenge(code, requestedScope, resourceMetadata));
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds));
  return new Response(JSON.stringify({ code, error: code, message, cure }), { status, headers });
}

function buildChallenge(
  code: HubRefusal['code'],
  scope: string | undefined,
  resourceMetadata: string | undefined,
): string {
  const parameters = Object.entries({
    realm: 'vp hub',
    // RFC 6750 section 3.1: a request without credentials gets no error code.
    error: code === 'missing_token' ? undefined : code,
    scope,
    resource_metadata: resourceMetadata,
  });
  const attributes = parameters.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${stripUnquotable(value)}"`],
  );
  return `Bearer ${attributes.join(', ')}`;
}

/** Removes characters that end a quoted string (RFC 9110 section 5.6.4) or are not allowed in a header. */
function stripUnquotable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]|["\\]/g, '');
}
