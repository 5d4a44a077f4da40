/**
 * Renews the token of a sign-in. A refresh token is good once, and using an old one ends the whole sign-in: so commands
 * that run at the same time take turns, and the one that comes second finds what the first has written.
 */
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { OutwardFetch } from '../../outbound/outward-fetch.ts';
import { credentialFile, forgetCredential, type Kept, keptCredential, writeCredential } from '../credentials.ts';
import { withFileLock } from './file-lock.ts';
import { codeOf, loginProblem, oauthClient } from './oauth-client.ts';
import { type Grant, grantOf } from './ways.ts';

type Place = Pick<Environment, 'paths' | 'clock'>;

/** Tokens are renewed a little before they end. */
const earlyMs = 30_000;

/** Keeps what a sign-in gave. */
export function keepGrant({ paths, clock }: Place, url: string, grant: Grant): void {
  const expiresAtMs = clock.nowMs() + grant.expiresInSeconds * 1000;
  const renewal = grant.refreshToken === undefined ? {} : { refresh_token: grant.refreshToken };
  writeCredential(paths, url, grant.token, { ...renewal, expires_at_ms: expiresAtMs });
}

/** Gives the token that is good now. Throws LOGIN_ENDED, LOGIN_FAILED, CONTROL_PLANE_UNREACHABLE. */
export function renewing(place: Place, url: string, fetch: OutwardFetch): () => Promise<string> {
  let known: Kept | undefined;
  return async () => {
    if (!known || !isGood(place, known)) known = keptOrThrow(place, url);
    if (!isGood(place, known)) known = await renewed(place, url, fetch);
    return known.token;
  };
}

function isGood({ clock }: Place, kept: Kept): boolean {
  const { refresh_token: refreshToken, expires_at_ms: expiresAtMs = 0 } = kept;
  return refreshToken === undefined || clock.nowMs() < expiresAtMs - earlyMs;
}

function keptOrThrow({ paths }: Place, url: string): Kept {
  const kept = keptCredential(paths, url);
  if (kept) return kept;
  throw vpError('LOGIN_ENDED', { url });
}

function renewed(place: Place, url: string, fetch: OutwardFetch): Promise<Kept> {
  return withFileLock(credentialFile(place.paths, url), place.clock, async () => {
    const kept = keptOrThrow(place, url);
    if (isGood(place, kept) || kept.refresh_token === undefined) return kept;
    const client = await oauthClient(url, fetch);
    try {
      keepGrant(place, url, grantOf(await client.library.refreshTokenGrant(client.config, kept.refresh_token)));
    } catch (thrown) {
      if (codeOf(thrown) !== 'invalid_grant') throw loginProblem(thrown, url);
      forgetCredential(place.paths, url);
      throw vpError('LOGIN_ENDED', { url }, { cause: thrown });
    }
    return keptOrThrow(place, url);
  });
}
