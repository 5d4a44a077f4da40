import type { HubMember } from '../../contract/hubs/hubs-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonRemovalHook } from '../../identity/accounts/person-removal-hooks.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { listConnections } from '../../store/control/hubs/connections.ts';
import {
  countHubOwners,
  deleteMember,
  deleteMemberCredentials,
  findMember,
  listMembers,
  listPersonMemberships,
  type MemberRow,
  upsertMember,
} from '../../store/control/hubs/members.ts';
import { findPerson } from '../../store/control/identity/people.ts';
import type { Sql } from '../../store/sql.ts';
import { authorizeInHub, type HubMembership } from '../access/permissions.ts';
import { makeChange, type PreparedChange } from '../changes/hub-change.ts';
import type { HubContext } from '../context.ts';
import { listStoredSignIns } from '../sign-in/stored-sign-ins.ts';
import type { HubRole } from '../types.ts';

/** Each method throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export type MembersService = {
  /** Sorted by name. */
  list(caller: PersonCaller, slug: string): Promise<HubMember[]>;
  /** Adds a person, who starts without earlier tokens and grants, or changes a member's role. Throws PERSON_UNKNOWN, HUB_OWNER_LAST, HUB_LIMIT_REACHED. */
  put(caller: PersonCaller, slug: string, personId: string, role: HubRole): Promise<HubMember>;
  /** Throws HUB_MEMBER_UNKNOWN, HUB_OWNER_LAST. */
  remove(caller: PersonCaller, slug: string, personId: string): Promise<void>;
  /** Throws HUB_OWNER_LAST. */
  leave(caller: PersonCaller, slug: string): Promise<void>;
};

function toHubMember({ person_id, name, email, role, added_at_ms }: MemberRow): HubMember {
  return { person_id, name, email, role, added_at: formatTimestamp(added_at_ms) };
}

function assertNotLastOwner(sql: Sql, { hubId, slug }: HubMembership, member: MemberRow): void {
  if (member.role === 'owner' && countHubOwners(sql, hubId) === 1) throw vpError('HUB_OWNER_LAST', { hub: slug });
}

export function createMembersService(context: HubContext): MembersService {
  const { database } = context;
  return {
    list: (caller, slug) =>
      database.read((sql) => listMembers(sql, authorizeInHub(sql, caller, slug, 'member.see').hubId).map(toHubMember)),
    put: (caller, slug, personId, role) =>
      makeChange(database, createMemberChange(context, caller, slug, { personId, role })),
    remove: (caller, slug, personId) =>
      makeChange(database, createMemberRemoval(context, caller, slug, { personId, action: 'member.manage' })),
    leave: (caller, slug) =>
      makeChange(
        database,
        createMemberRemoval(context, caller, slug, { personId: caller.personId, action: 'member.leave' }),
      ),
  };
}

export function createMemberChange(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  { personId, role }: { personId: string; role: HubRole },
): PreparedChange<HubMember> {
  const { clock, logSecurityEvent, notifyHubChanged, settings } = context;
  const nowMs = clock.nowMs();
  return (sql) => {
    const membership = authorizeInHub(sql, caller, slug, 'member.manage');
    const { hubId } = membership;
    if (!findPerson(sql, personId)) throw vpError('PERSON_UNKNOWN', {});
    const existing = findMember(sql, hubId, personId);
    if (existing && role !== 'owner') assertNotLastOwner(sql, membership, existing);
    if (!existing) {
      assertMemberLimit(sql, hubId, settings.maxMembers);
      deleteMemberCredentials(sql, hubId, personId);
    }
    upsertMember(sql, hubId, { personId, role, nowMs });
    const member = findMember(sql, hubId, personId);
    if (!member) throw vpError('INTERNAL', {}, { detail: 'a member that was just written is missing' });
    const event = existing ? 'hub_member_changed' : 'hub_member_added';
    return () => {
      logSecurityEvent({ event, level: 'info', hub: hubId, person: personId, role, by: caller.personId });
      notifyHubChanged(hubId);
      return toHubMember(member);
    };
  };
}

function assertMemberLimit(sql: Sql, hubId: string, max: number): void {
  if (listMembers(sql, hubId).length < max) return;
  throw vpError('HUB_LIMIT_REACHED', { max, items: 'members', cure: 'create another hub for some of them' });
}

export function createMemberRemoval(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  { personId, action }: { personId: string; action: 'member.manage' | 'member.leave' },
): PreparedChange<void> {
  const { logSecurityEvent, notifyHubChanged, notifySignInsRemoved } = context;
  return (sql) => {
    const membership = authorizeInHub(sql, caller, slug, action);
    const member = findMember(sql, membership.hubId, personId);
    if (!member) throw vpError('HUB_MEMBER_UNKNOWN', { hub: slug });
    assertNotLastOwner(sql, membership, member);
    const removedSignIns = listStoredSignIns(context, sql, listConnections(sql, membership.hubId), { personId });
    deleteMember(sql, membership.hubId, personId);
    const { hubId } = membership;
    return () => {
      const event = action === 'member.leave' ? 'hub_member_left' : 'hub_member_removed';
      logSecurityEvent({ event, level: 'info', hub: hubId, person: personId, by: caller.personId });
      notifyHubChanged(hubId);
      notifySignInsRemoved(removedSignIns);
    };
  };
}

/** A removed account leaves its hubs, which ends its own sign-ins to upstream servers. */
export function createPersonRemovalListener(context: HubContext): PersonRemovalHook {
  return (sql, personId) => {
    const hubIds = listPersonMemberships(sql, personId).map(({ hub_id: id }) => id);
    const removedSignIns = hubIds.flatMap((id) =>
      listStoredSignIns(context, sql, listConnections(sql, id), { personId }),
    );
    return () => {
      for (const id of hubIds) context.notifyHubChanged(id);
      context.notifySignInsRemoved(removedSignIns);
    };
  };
}
