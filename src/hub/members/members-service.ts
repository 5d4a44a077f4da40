import type { ExpectedHubRole, HubMember } from '../../contract/hubs/hubs-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonRemovalHook } from '../../identity/accounts/person-removal-hooks.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { listConnections } from '../../store/control/hubs/connections.ts';
import {
  deleteMember,
  deleteMemberCredentials,
  listMembers,
  listPersonMemberships,
  type MemberRow,
  upsertMember,
} from '../../store/control/hubs/members.ts';
import type { Sql } from '../../store/sql.ts';
import { authorizeInHub, type HubMembership } from '../access/permissions.ts';
import type { HubRole } from '../access/principal.ts';
import { type MemberChange, makeChange } from '../changes/hub-change.ts';
import type { HubContext } from '../context.ts';
import { listStoredSignIns } from '../sign-in/stored-sign-ins.ts';
import type { MemberReads } from './member-reads.ts';

/** Each method throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export type MembersService = {
  /** Sorted by name. */
  list(caller: PersonCaller, slug: string): Promise<HubMember[]>;
  /**
   * Adds a person, who starts without earlier tokens and grants, or changes a member's role. Throws PERSON_UNKNOWN, HUB_MEMBER_CHANGED,
   * HUB_OWNER_LAST, HUB_LIMIT_REACHED.
   */
  put(
    caller: PersonCaller,
    slug: string,
    personId: string,
    role: HubRole,
    expected?: ExpectedHubRole,
  ): Promise<HubMember>;
  /** Throws HUB_MEMBER_UNKNOWN, HUB_MEMBER_CHANGED, HUB_OWNER_LAST. */
  remove(caller: PersonCaller, slug: string, personId: string, expected?: ExpectedHubRole): Promise<void>;
  /** Throws HUB_OWNER_LAST. */
  leave(caller: PersonCaller, slug: string): Promise<void>;
};

function toHubMember({ person_id, name, email, role, added_at_ms }: MemberRow): HubMember {
  return { person_id, name, email, role, added_at: formatTimestamp(added_at_ms) };
}

function assertNotLastOwner(
  sql: Sql,
  reads: MemberReads,
  { hubId, slug }: HubMembership,
  member: Pick<MemberRow, 'role'>,
): void {
  if (member.role === 'owner' && reads.countOwners(sql, hubId) === 1) throw vpError('HUB_OWNER_LAST', { hub: slug });
}

export function createMembersService(context: HubContext): MembersService {
  const { database } = context;
  return {
    list: (caller, slug) =>
      database.read((sql) => listMembers(sql, authorizeInHub(sql, caller, slug, 'member.see').hubId).map(toHubMember)),
    put: (caller, slug, personId, role, expected) =>
      makeChange(database, createMemberChange(context, caller, slug, { personId, role, expected })),
    remove: (caller, slug, personId, expected) =>
      makeChange(database, createMemberRemoval(context, caller, slug, { personId, action: 'member.manage', expected })),
    leave: (caller, slug) =>
      makeChange(
        database,
        createMemberRemoval(context, caller, slug, { personId: caller.personId, action: 'member.leave' }),
      ),
  };
}

/** Throws HUB_MEMBER_CHANGED. */
function assertRole(hub: string, person: string, member: MemberRow | undefined, expected?: ExpectedHubRole): void {
  const actual = member?.role ?? 'none';
  if (expected === undefined || expected === actual) return;
  throw vpError('HUB_MEMBER_CHANGED', { hub, person, expected, actual }, { diagnostics: [{ expected, actual }] });
}

type RoleChange = {
  readonly personId: string;
  readonly role: HubRole;
  readonly expected?: ExpectedHubRole | undefined;
};

export function createMemberChange(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  { personId, role, expected }: RoleChange,
): MemberChange<HubMember> {
  const { clock, logSecurityEvent, notifyHubChanged, settings } = context;
  const nowMs = clock.nowMs();
  const change = (sql: Sql, reads: MemberReads) => {
    const membership = reads.authorize(sql, caller, slug, 'member.manage');
    const { hubId } = membership;
    const { name, email } = reads.requirePerson(sql, personId);
    const existing = reads.findMember(sql, hubId, personId);
    assertRole(slug, name, existing, expected);
    if (existing && role !== 'owner') assertNotLastOwner(sql, reads, membership, existing);
    if (!existing) {
      assertMemberLimit(reads.countMembers(sql, hubId), settings.maxMembers);
      deleteMemberCredentials(sql, hubId, personId);
    }
    upsertMember(sql, hubId, { personId, role, nowMs });
    const member = { person_id: personId, name, email, role, added_at_ms: existing?.added_at_ms ?? nowMs };
    reads.onWritten(hubId, personId, member);
    const event = existing ? 'hub_member_changed' : 'hub_member_added';
    return () => {
      logSecurityEvent({ event, level: 'info', hub: hubId, person: personId, role, by: caller.personId });
      notifyHubChanged(hubId);
      return toHubMember(member);
    };
  };
  return { ofMembers: (reads) => (sql) => change(sql, reads) };
}

function assertMemberLimit(count: number, max: number): void {
  if (count < max) return;
  throw vpError('HUB_LIMIT_REACHED', { max, items: 'members', cure: 'create another hub for some of them' });
}

type MemberRemoval = {
  readonly personId: string;
  readonly action: 'member.manage' | 'member.leave';
  readonly expected?: ExpectedHubRole | undefined;
};

export function createMemberRemoval(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  { personId, action, expected }: MemberRemoval,
): MemberChange<void> {
  const { logSecurityEvent, notifyHubChanged, notifySignInsRemoved } = context;
  const change = (sql: Sql, reads: MemberReads) => {
    const membership = reads.authorize(sql, caller, slug, action);
    const { hubId } = membership;
    const member = reads.findMember(sql, hubId, personId);
    if (!member) throw vpError('HUB_MEMBER_UNKNOWN', { hub: slug });
    assertRole(slug, member.name, member, expected);
    assertNotLastOwner(sql, reads, membership, member);
    const removedSignIns = reads.listSignIns(context, sql, hubId, personId);
    deleteMember(sql, hubId, personId);
    reads.onWritten(hubId, personId, undefined);
    return () => {
      const event = action === 'member.leave' ? 'hub_member_left' : 'hub_member_removed';
      const { role } = member;
      logSecurityEvent({ event, level: 'info', hub: hubId, person: personId, role, by: caller.personId });
      notifyHubChanged(hubId);
      notifySignInsRemoved(removedSignIns);
    };
  };
  return { ofMembers: (reads) => (sql) => change(sql, reads) };
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
