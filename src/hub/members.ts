/** Who belongs to a hub. */
import type { HubMember } from '../contract/hub-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { momentOf } from '../identity/person.ts';
import { connectionsOfHub } from '../store/control/hub-connections.ts';
import {
  countHubOwners,
  deleteMember,
  findMember,
  type MemberRow,
  membersOfHub,
  putMember,
} from '../store/control/hub-members.ts';
import { findPerson } from '../store/control/people.ts';
import type { Sql } from '../store/sql.ts';
import { keptSignIns } from './connections-grant.ts';
import { demandHub, type Standing } from './hubs-authorization.ts';
import type { HubContext } from './hubs-context.ts';
import type { HubRole } from './words.ts';

/** Memberships. Each throws HUB_UNKNOWN and HUB_ROLE_INSUFFICIENT. */
export type Members = {
  /** By name. */
  list(caller: PersonCaller, slug: string): Promise<HubMember[]>;
  /** Adds somebody with an account, or gives a member another role. Throws PERSON_UNKNOWN, HUB_OWNER_LAST, HUB_LIMIT_REACHED. */
  put(caller: PersonCaller, slug: string, personId: string, role: HubRole): Promise<HubMember>;
  /** Throws HUB_MEMBER_UNKNOWN, HUB_OWNER_LAST. */
  remove(caller: PersonCaller, slug: string, personId: string): Promise<void>;
  /** Throws HUB_OWNER_LAST. */
  leave(caller: PersonCaller, slug: string): Promise<void>;
};

function wireMember({ person_id, name, email, role, added_at_ms }: MemberRow): HubMember {
  return { person_id, name, email, role, added_at: momentOf(added_at_ms) };
}

function refuseLastOwner(sql: Sql, { hubId, slug }: Standing, member: MemberRow): void {
  if (member.role === 'owner' && countHubOwners(sql, hubId) === 1) throw vpError('HUB_OWNER_LAST', { hub: slug });
}

/** See {@link Members}. */
export function membersOf(context: HubContext): Members {
  const { database } = context;
  return {
    list: (caller, slug) =>
      database.read((sql) => membersOfHub(sql, demandHub(sql, caller, slug, 'member.see').hubId).map(wireMember)),
    put: (caller, slug, personId, role) => put(context, caller, slug, { personId, role }),
    remove: (caller, slug, personId) => end(context, caller, slug, { personId, action: 'member.manage' }),
    leave: (caller, slug) => end(context, caller, slug, { personId: caller.personId, action: 'member.leave' }),
  };
}

async function put(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  { personId, role }: { personId: string; role: HubRole },
): Promise<HubMember> {
  const { database, clock, tell, changed, settings } = context;
  const nowMs = clock.nowMs();
  const { hubId, member, before } = await database.write((sql) => {
    const standing = demandHub(sql, caller, slug, 'member.manage');
    const { hubId } = standing;
    if (!findPerson(sql, personId)) throw vpError('PERSON_UNKNOWN', {});
    const known = findMember(sql, hubId, personId);
    if (known && role !== 'owner') refuseLastOwner(sql, standing, known);
    if (!known) demandRoom(sql, hubId, settings.mostMembers);
    putMember(sql, hubId, { personId, role, nowMs });
    return { hubId, member: findMember(sql, hubId, personId), before: known?.role };
  });
  if (!member) throw vpError('INTERNAL', {}, { detail: 'a member that was just written is not there' });
  const event = before === undefined ? 'hub_member_added' : 'hub_member_changed';
  tell({ event, level: 'info', hub: hubId, person: personId, role, by: caller.personId });
  changed(hubId);
  return wireMember(member);
}

function demandRoom(sql: Sql, hubId: string, most: number): void {
  if (membersOfHub(sql, hubId).length < most) return;
  throw vpError('HUB_LIMIT_REACHED', { most, what: 'members', cure: 'make a further hub for some of them' });
}

async function end(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  { personId, action }: { personId: string; action: 'member.manage' | 'member.leave' },
): Promise<void> {
  const { database, tell, changed, signInsEnded } = context;
  const { hubId, ended } = await database.write((sql) => {
    const standing = demandHub(sql, caller, slug, action);
    const member = findMember(sql, standing.hubId, personId);
    if (!member) throw vpError('HUB_MEMBER_UNKNOWN', { hub: slug });
    refuseLastOwner(sql, standing, member);
    const ended = keptSignIns(context, sql, connectionsOfHub(sql, standing.hubId), { personId });
    deleteMember(sql, standing.hubId, personId);
    return { hubId: standing.hubId, ended };
  });
  const event = action === 'member.leave' ? 'hub_member_left' : 'hub_member_removed';
  tell({ event, level: 'info', hub: hubId, person: personId, by: caller.personId });
  changed(hubId);
  signInsEnded(ended);
}
