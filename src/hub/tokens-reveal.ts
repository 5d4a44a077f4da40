/** Showing a token again: to its maker alone, soon after they proved who they are, and never without a line in the log of security. */
import type { HubTokenShown } from '../contract/hub-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { unseal } from '../secrets/sealing.ts';
import { sealedHubToken } from '../store/control/hub-tokens.ts';
import type { HubContext } from './hubs-context.ts';
import { demandOwnToken, refuseKeys, tokenPlace, wireToken } from './tokens-own.ts';

/** Throws HUB_TOKEN_UNKNOWN, HUB_TOKEN_KEY_REFUSED, SIGN_IN_NOT_RECENT, HUB_TOKEN_ERASED. */
export async function revealToken(
  context: HubContext,
  caller: PersonCaller,
  id: string,
  address: string,
): Promise<HubTokenShown> {
  const { database, clock, keys, tell } = context;
  const row = await database.read((sql) => demandOwnToken(sql, caller, id));
  refuseKeys(caller);
  const about = { hub_token: id, hub: row.hub_id, person: caller.personId, via: caller.via, address };
  await demandRecent(context, caller, about);
  const nowMs = clock.nowMs();
  const hub_token = wireToken(row, nowMs);
  const sealed = await database.read((sql) => sealedHubToken(sql, id));
  if (hub_token.state === 'expired' || !sealed) throw vpError('HUB_TOKEN_ERASED', {});
  const plain = unseal(keys.dataKey, tokenPlace(id), sealed);
  if (!plain) throw vpError('INTERNAL', {}, { detail: `the sealed copy of token ${id} was not sealed for it` });
  tell({ event: 'hub_token_revealed', level: 'info', ...about });
  return { hub_token, token: Buffer.from(plain).toString() };
}

async function demandRecent(
  { clock, settings, signedInAtMs, tell }: HubContext,
  caller: PersonCaller,
  about: Readonly<Record<string, string>>,
): Promise<void> {
  const atMs = await signedInAtMs(caller);
  const ageMs = atMs === undefined ? Number.POSITIVE_INFINITY : clock.nowMs() - atMs;
  // A clock that was set back makes nothing recent.
  if (ageMs >= 0 && ageMs <= settings.recentSignInMs) return;
  tell({ event: 'hub_token_reveal_refused', level: 'warn', ...about });
  throw vpError('SIGN_IN_NOT_RECENT', { minutes: settings.recentSignInMs / 60_000 });
}
