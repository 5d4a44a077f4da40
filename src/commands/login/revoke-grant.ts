import { toVpError } from '../../errors/vp-error.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import type { StoredCredential } from '../control-plane/credentials.ts';
import { createOAuthClient } from './oauth-client.ts';

/** Revokes a sign-in at its control plane. Returns the reason if that failed. */
export async function revokeStoredSignIn(
  credential: StoredCredential,
  url: string,
  fetch: OutboundFetch,
): Promise<string | undefined> {
  if (credential.refresh_token === undefined) return undefined;
  try {
    const { library, config } = await createOAuthClient(url, fetch);
    await library.tokenRevocation(config, credential.refresh_token, { token_type_hint: 'refresh_token' });
    return undefined;
  } catch (thrown) {
    return toVpError(thrown).message;
  }
}
