/** A caller of an earlier request, as the store has it now: for calls that are made when their client is not there. */
import { listPersonMemberships } from '../../store/control/hubs/members.ts';
import { findHubToken } from '../../store/control/hubs/tokens.ts';
import type { HubContext } from '../context.ts';
import type { HubPrincipal } from './principal.ts';

/** Returns the caller with its present role; undefined if its person or credential may no longer call this hub. */
export type FindStoredCaller = (caller: HubPrincipal) => Promise<HubPrincipal | undefined>;

/** Whether the OAuth grant behind a caller is valid. */
export type VerifyGrantCredential = (credentialId: string) => Promise<boolean>;

export function createStoredCallers(
  { database, clock }: Pick<HubContext, 'database' | 'clock'>,
  isGrantValid: VerifyGrantCredential = async () => false,
): FindStoredCaller {
  return async (caller) => {
    const { hub, person, via } = caller;
    const current = await database.read((sql) => {
      const membership = listPersonMemberships(sql, person.personId).find(({ hub_id: hubId }) => hubId === hub.id);
      if (!membership || via.kind !== 'token') return membership;
      const token = findHubToken(sql, via.tokenId);
      const isOwn = token?.hub_id === hub.id && token.person_id === person.personId;
      return isOwn && (token.expires_at_ms === null || token.expires_at_ms > clock.nowMs()) ? membership : undefined;
    });
    if (!current || via.kind === 'console') return undefined;
    if (via.kind === 'grant' && !(via.credentialId !== undefined && (await isGrantValid(via.credentialId))))
      return undefined;
    return { ...caller, hub: { id: hub.id, slug: current.slug }, role: current.role };
  };
}
