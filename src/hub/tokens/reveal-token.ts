/** Reveals a token again: only to its owner, soon after a sign-in, and always recorded in the security log. */
import type { HubTokenWithSecret } from '../../contract/hubs/hubs-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { unseal } from '../../secrets/sealing.ts';
import { findSealedHubToken } from '../../store/control/hubs/tokens.ts';
import type { HubContext } from '../context.ts';
import { assertNotApiKey, getTokenSealContext, requireOwnToken, toHubToken } from './own-token.ts';

/** Throws HUB_TOKEN_UNKNOWN, HUB_TOKEN_KEY_REFUSED, SIGN_IN_NOT_RECENT, HUB_TOKEN_ERASED. */
export async function revealToken(
  context: HubContext,
  caller: PersonCaller,
  id: string,
  address: string,
): Promise<HubTokenWithSecret> {
  const { database, clock, keys, logSecurityEvent } = context;
  const row = await database.read((sql) => requireOwnToken(sql, caller, id));
  assertNotApiKey(caller);
  const details = { hub_token: id, hub: row.hub_id, person: caller.personId, via: caller.via, address };
  await assertRecentSignIn(context, caller, details);
  const nowMs = clock.nowMs();
  const hub_token = toHubToken(row, nowMs);
  const sealed = await database.read((sql) => findSealedHubToken(sql, id));
  if (hub_token.state === 'expired' || !sealed) throw vpError('HUB_TOKEN_ERASED', {});
  const plaintext = unseal(keys.dataKey, getTokenSealContext(id), sealed);
  if (!plaintext) throw vpError('INTERNAL', {}, { detail: `the stored copy of token ${id} is not sealed for it` });
  logSecurityEvent({ event: 'hub_token_revealed', level: 'info', ...details });
  return { hub_token, token: Buffer.from(plaintext).toString() };
}

async function assertRecentSignIn(
  { clock, settings, signedInAtMs, logSecurityEvent }: HubContext,
  caller: PersonCaller,
  details: Readonly<Record<string, string>>,
): Promise<void> {
  const atMs = await signedInAtMs(caller);
  const ageMs = atMs === undefined ? Number.POSITIVE_INFINITY : clock.nowMs() - atMs;
  // A clock that was set back makes no sign-in recent.
  if (ageMs >= 0 && ageMs <= settings.recentSignInMs) return;
  logSecurityEvent({ event: 'hub_token_reveal_refused', level: 'warn', ...details });
  throw vpError('SIGN_IN_NOT_RECENT', { minutes: settings.recentSignInMs / 60_000 });
}
