/** The accounts and their roles. */
import type { Person, Role } from '../../contract/identity-api.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { transferSoleOwnedHubs } from '../../store/control/hubs/members.ts';
import { listApiKeys } from '../../store/control/identity/api-keys.ts';
import { deleteInvitationsCreatedBy } from '../../store/control/identity/links.ts';
import {
  countPlatformOwners,
  deletePerson,
  findPerson,
  listPeople,
  type PersonRow,
  updatePersonRole,
} from '../../store/control/identity/people.ts';
import { listSessions } from '../../store/control/identity/sessions.ts';
import { deleteOAuthRecordsByPerson } from '../../store/control/oauth/oauth-records.ts';
import type { Sql } from '../../store/sql.ts';
import type { SessionCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import { toSessionCredentialId } from '../sessions/sessions.ts';
import type { AgentTokensService } from '../tokens/agent-tokens.ts';
import { toApiKeyCredentialId } from '../tokens/api-keys.ts';
import { toPerson } from './person-view.ts';

/** Methods that change an account throw PERSON_UNKNOWN, OWNER_LAST. */
export type PeopleService = {
  list(): Promise<Person[]>;
  find(personId: string): Promise<Person | undefined>;
  changeRole(caller: SessionCaller, personId: string, role: Role): Promise<Person>;
  /** Also ends the person's sessions, keys, grants and upstream sign-ins. Hubs without another owner pass to the caller. */
  remove(caller: SessionCaller, personId: string): Promise<void>;
};

/** The id of an account for revocation events. */
export function toPersonCredentialId(personId: string): string {
  return `person ${personId}`;
}

function requirePerson(sql: Sql, personId: string): PersonRow {
  const row = findPerson(sql, personId);
  if (row) return row;
  throw vpError('PERSON_UNKNOWN', { person: personId.slice(0, 100) });
}

function findLastOwnerError(sql: Sql, { role }: PersonRow): VpError | undefined {
  return role === 'owner' && countPlatformOwners(sql) === 1 ? vpError('OWNER_LAST', {}) : undefined;
}

/** The new owner of hubs that would have none: the caller, or another owner when callers remove their own account. */
function findNewHubOwner(sql: Sql, caller: SessionCaller, personId: string): string {
  if (caller.personId !== personId) return caller.personId;
  return listPeople(sql).find(({ id, role }) => role === 'owner' && id !== personId)?.id ?? personId;
}

export function createPeopleService(
  context: IdentityContext,
  agentTokens: Pick<AgentTokensService, 'endUnauthorized'>,
): PeopleService {
  const { database, clock, logSecurityEvent, revocationEvents, personRemovalHooks } = context;
  return {
    list: async () => (await database.read(listPeople)).map(toPerson),
    async find(personId) {
      const row = await database.read((sql) => findPerson(sql, personId));
      return row && toPerson(row);
    },
    async changeRole(caller, personId, role) {
      const row = await database.write((sql) => {
        const person = requirePerson(sql, personId);
        const problem = role === 'owner' ? undefined : findLastOwnerError(sql, person);
        if (problem) throw problem;
        updatePersonRole(sql, personId, role);
        if (role !== 'owner') deleteInvitationsCreatedBy(sql, personId);
        return { ...person, role };
      });
      logSecurityEvent({ event: 'role_changed', level: 'info', person: personId, role, by: caller.personId });
      await agentTokens.endUnauthorized(personId);
      return toPerson(row);
    },
    async remove(caller, personId) {
      const {
        credentialIds,
        hubs,
        afterwards: afterCommit,
      } = await database.write((sql) => {
        const problem = findLastOwnerError(sql, requirePerson(sql, personId));
        if (problem) throw problem;
        const afterCommit = personRemovalHooks.run(sql, personId);
        const sessions = listSessions(sql, personId).map(({ id }) => toSessionCredentialId(id));
        const keys = listApiKeys(sql, personId).map(({ id }) => toApiKeyCredentialId(id));
        deleteOAuthRecordsByPerson(sql, personId);
        const hubs = transferSoleOwnedHubs(sql, personId, findNewHubOwner(sql, caller, personId), clock.nowMs());
        deletePerson(sql, personId);
        return { credentialIds: [...sessions, ...keys, toPersonCredentialId(personId)], hubs, afterwards: afterCommit };
      });
      for (const hub of hubs)
        logSecurityEvent({ event: 'hub_handed_over', level: 'info', hub, person: personId, by: caller.personId });
      logSecurityEvent({ event: 'person_removed', level: 'info', person: personId, by: caller.personId });
      for (const credentialId of credentialIds) revocationEvents.emit(credentialId);
      for (const callback of afterCommit) callback();
    },
  };
}
