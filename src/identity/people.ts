/** Who there is, and their roles. */
import type { Person, Role } from '../contract/identity-api.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';
import { handOverHubs } from '../store/control/hub-members.ts';
import { keysOfPerson } from '../store/control/identity-keys.ts';
import { deleteInvitationsOf } from '../store/control/identity-links.ts';
import { deleteOAuthOfPerson } from '../store/control/identity-oauth.ts';
import { countOwners, deletePerson, findPerson, listPeople, type PersonRow, setRole } from '../store/control/people.ts';
import { sessionsOfPerson } from '../store/control/sessions.ts';
import type { Sql } from '../store/sql.ts';
import { apiKeyHolder } from './api-keys.ts';
import type { SessionCaller } from './caller.ts';
import type { IdentityContext } from './context.ts';
import { wirePerson } from './person.ts';
import { sessionHolder } from './sessions.ts';

/** People. Those who change somebody throw PERSON_UNKNOWN, OWNER_LAST. */
export type People = {
  list(): Promise<Person[]>;
  /** Undefined when there is none of that id. */
  find(personId: string): Promise<Person | undefined>;
  changeRole(caller: SessionCaller, personId: string, role: Role): Promise<Person>;
  /** Ends all their sessions, keys, grants and sign-ins to servers too. Hubs that nobody else owns become the caller's. */
  remove(caller: SessionCaller, personId: string): Promise<void>;
};

/** What ends with an account (see ends.ts). */
export function personHolder(personId: string): string {
  return `person ${personId}`;
}

function requirePerson(sql: Sql, personId: string): PersonRow {
  const row = findPerson(sql, personId);
  if (row) return row;
  throw vpError('PERSON_UNKNOWN', {});
}

function lastOwner(sql: Sql, { role }: PersonRow): VpError | undefined {
  return role === 'owner' && countOwners(sql) === 1 ? vpError('OWNER_LAST', {}) : undefined;
}

/** Who gets what would belong to nobody: the owner who removes the account, or another one where it is their own. */
function heirOf(sql: Sql, caller: SessionCaller, personId: string): string {
  if (caller.personId !== personId) return caller.personId;
  return listPeople(sql).find(({ id, role }) => role === 'owner' && id !== personId)?.id ?? personId;
}

/** See {@link People}. */
export function peopleOf({ database, clock, tell, ends, personEnds }: IdentityContext): People {
  return {
    list: async () => (await database.read(listPeople)).map(wirePerson),
    async find(personId) {
      const row = await database.read((sql) => findPerson(sql, personId));
      return row && wirePerson(row);
    },
    async changeRole(caller, personId, role) {
      const row = await database.write((sql) => {
        const person = requirePerson(sql, personId);
        const problem = role === 'owner' ? undefined : lastOwner(sql, person);
        if (problem) throw problem;
        setRole(sql, personId, role);
        if (role !== 'owner') deleteInvitationsOf(sql, personId);
        return { ...person, role };
      });
      tell({ event: 'role_changed', level: 'info', person: personId, role, by: caller.personId });
      return wirePerson(row);
    },
    async remove(caller, personId) {
      const { holders, hubs, afterwards } = await database.write((sql) => {
        const problem = lastOwner(sql, requirePerson(sql, personId));
        if (problem) throw problem;
        const afterwards = personEnds.told(sql, personId);
        const sessions = sessionsOfPerson(sql, personId).map(({ id }) => sessionHolder(id));
        const keys = keysOfPerson(sql, personId).map(({ id }) => apiKeyHolder(id));
        deleteOAuthOfPerson(sql, personId);
        const hubs = handOverHubs(sql, personId, heirOf(sql, caller, personId), clock.nowMs());
        deletePerson(sql, personId);
        return { holders: [...sessions, ...keys, personHolder(personId)], hubs, afterwards };
      });
      for (const hub of hubs)
        tell({ event: 'hub_handed_over', level: 'info', hub, person: personId, by: caller.personId });
      tell({ event: 'person_removed', level: 'info', person: personId, by: caller.personId });
      for (const holder of holders) ends.fire(holder);
      for (const after of afterwards) after();
    },
  };
}
