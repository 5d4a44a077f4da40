/**
 * What changes of members read. A change by itself reads its rows; many changes in one transaction read everything of the hub once, because
 * each read is a round trip on PostgreSQL and an operation has a limited number of them. Each pass of an operation has an own one.
 */
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { listConnections, listUpstreamGrantHolders } from '../../store/control/hubs/connections.ts';
import {
  countHubMembers,
  countHubOwners,
  findMember,
  listMembers,
  type MemberRow,
} from '../../store/control/hubs/members.ts';
import { findPerson, listPeople, type PersonRow } from '../../store/control/identity/people.ts';
import type { Sql } from '../../store/sql.ts';
import { assertAllowedInHub, findMembershipBySlug, type HubAction, type HubMembership } from '../access/permissions.ts';
import type { RemovedSignIn } from '../sign-in/sign-in-revoker.ts';
import { listStoredSignIns } from '../sign-in/stored-sign-ins.ts';

type Person = Pick<PersonRow, 'id' | 'name' | 'email'>;
type HubReads = { readonly members: Map<string, MemberRow>; readonly grantHolders: ReadonlySet<string> };

export class MemberReads {
  readonly #isForMany: boolean;
  readonly #memberships = new Map<string, HubMembership | undefined>();
  readonly #hubs = new Map<string, HubReads>();
  #people: ReadonlyMap<string, Person> | undefined;

  constructor(isForMany: boolean) {
    this.#isForMany = isForMany;
  }

  /** Throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
  authorize(sql: Sql, caller: PersonCaller, slug: string, action: HubAction): HubMembership {
    const key = `${caller.personId} ${slug}`;
    if (!this.#memberships.has(key)) this.#memberships.set(key, findMembershipBySlug(sql, caller, slug));
    return assertAllowedInHub(this.#memberships.get(key), slug, action);
  }

  /** Throws PERSON_UNKNOWN. */
  requirePerson(sql: Sql, personId: string): Person {
    if (this.#isForMany) this.#people ??= new Map(listPeople(sql).map((person) => [person.id, person]));
    const person = this.#people ? this.#people.get(personId) : findPerson(sql, personId);
    if (person) return person;
    throw vpError('PERSON_UNKNOWN', { person: personId.slice(0, 100) });
  }

  findMember(sql: Sql, hubId: string, personId: string): MemberRow | undefined {
    return this.#isForMany ? this.#hub(sql, hubId).members.get(personId) : findMember(sql, hubId, personId);
  }

  countMembers(sql: Sql, hubId: string): number {
    return this.#isForMany ? this.#hub(sql, hubId).members.size : countHubMembers(sql, hubId);
  }

  countOwners(sql: Sql, hubId: string): number {
    if (!this.#isForMany) return countHubOwners(sql, hubId);
    return [...this.#hub(sql, hubId).members.values()].filter(({ role }) => role === 'owner').length;
  }

  /** Sign-ins of a person to servers of the hub. */
  listSignIns(
    keys: Parameters<typeof listStoredSignIns>[0],
    sql: Sql,
    hubId: string,
    personId: string,
  ): RemovedSignIn[] {
    if (this.#isForMany && !this.#hub(sql, hubId).grantHolders.has(personId)) return [];
    return listStoredSignIns(keys, sql, listConnections(sql, hubId), { personId });
  }

  /** Call it after the row was written; undefined for a member that was removed. */
  onWritten(hubId: string, personId: string, member: MemberRow | undefined): void {
    const members = this.#hubs.get(hubId)?.members;
    if (member) members?.set(personId, member);
    else members?.delete(personId);
    for (const key of this.#memberships.keys()) if (key.startsWith(`${personId} `)) this.#memberships.delete(key);
  }

  /** Call it before a change that does not write through `onWritten`. */
  clear(): void {
    this.#memberships.clear();
    this.#hubs.clear();
    this.#people = undefined;
  }

  #hub(sql: Sql, hubId: string): HubReads {
    const existing = this.#hubs.get(hubId);
    if (existing) return existing;
    const members = new Map(listMembers(sql, hubId).map((member) => [member.person_id, member]));
    const reads = { members, grantHolders: new Set(listUpstreamGrantHolders(sql, hubId)) };
    this.#hubs.set(hubId, reads);
    return reads;
  }
}
