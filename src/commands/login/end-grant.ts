import { asVpError } from '../../errors/vp-error.ts';
import type { OutwardFetch } from '../../outbound/outward-fetch.ts';
import type { Kept } from '../credentials.ts';
import { oauthClient } from './oauth-client.ts';

/** Ends a sign-in at its control plane; gives the words of why it could not be ended, if so. */
export async function endGrant(kept: Kept, url: string, fetch: OutwardFetch): Promise<string | undefined> {
  if (kept.refresh_token === undefined) return undefined;
  try {
    const { library, config } = await oauthClient(url, fetch);
    await library.tokenRevocation(config, kept.refresh_token, { token_type_hint: 'refresh_token' });
    return undefined;
  } catch (thrown) {
    return asVpError(thrown).message;
  }
}
