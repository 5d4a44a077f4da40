/**
 * Renews the access token of a sign-in. A refresh token can be used once, and using an old one revokes the whole sign-in, so
 * commands that run at the same time take a lock, and the second one finds the token that the first one wrote.
 */
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import { withFileLock } from '../login/file-lock.ts';
import { createOAuthClient, readOAuthErrorCode, toLoginError } from '../login/oauth-client.ts';
import { type TokenGrant, toGrant } from '../login/sign-in-methods.ts';
import {
  credentialFile,
  readStoredCredential,
  removeCredential,
  type StoredCredential,
  writeCredential,
} from './credentials.ts';

type RenewalDependencies = Pick<Environment, 'paths' | 'clock'>;

const renewBeforeExpiryMs = 30_000;

/** Writes the tokens of a sign-in to the credential file. */
export function storeGrant({ paths, clock }: RenewalDependencies, url: string, grant: TokenGrant): void {
  const expiresAtMs = clock.nowMs() + grant.expiresInSeconds * 1000;
  const renewal = grant.refreshToken === undefined ? {} : { refresh_token: grant.refreshToken };
  writeCredential(paths, url, grant.token, { ...renewal, expires_at_ms: expiresAtMs });
}

/** Returns a function that provides a valid access token. Throws LOGIN_ENDED, LOGIN_FAILED, CONTROL_PLANE_UNREACHABLE. */
export function createTokenProvider(
  dependencies: RenewalDependencies,
  url: string,
  fetch: OutboundFetch,
): () => Promise<string> {
  let credential: StoredCredential | undefined;
  return async () => {
    if (!credential || !isFresh(dependencies, credential)) credential = requireStoredCredential(dependencies, url);
    if (!isFresh(dependencies, credential)) credential = await renewToken(dependencies, url, fetch);
    return credential.token;
  };
}

function isFresh({ clock }: RenewalDependencies, credential: StoredCredential): boolean {
  const { refresh_token: refreshToken, expires_at_ms: expiresAtMs = 0 } = credential;
  return refreshToken === undefined || clock.nowMs() < expiresAtMs - renewBeforeExpiryMs;
}

function requireStoredCredential({ paths }: RenewalDependencies, url: string): StoredCredential {
  const credential = readStoredCredential(paths, url);
  if (credential) return credential;
  throw vpError('LOGIN_ENDED', { url });
}

function renewToken(dependencies: RenewalDependencies, url: string, fetch: OutboundFetch): Promise<StoredCredential> {
  return withFileLock(credentialFile(dependencies.paths, url), dependencies.clock, async () => {
    const credential = requireStoredCredential(dependencies, url);
    if (isFresh(dependencies, credential) || credential.refresh_token === undefined) return credential;
    const client = await createOAuthClient(url, fetch);
    try {
      storeGrant(
        dependencies,
        url,
        toGrant(await client.library.refreshTokenGrant(client.config, credential.refresh_token)),
      );
    } catch (thrown) {
      if (readOAuthErrorCode(thrown) !== 'invalid_grant') throw toLoginError(thrown, url);
      removeCredential(dependencies.paths, url);
      throw vpError('LOGIN_ENDED', { url }, { cause: thrown });
    }
    return requireStoredCredential(dependencies, url);
  });
}
