/** Changes of a hub, its members and connections, to be made together with others. */
import type {
  CreateHubConnectionRequest,
  CreateHubRequest,
  HubDetails,
  UpdateHubConnectionRequest,
  UpdateHubRequest,
} from '../../contract/hubs/hubs-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { Sql } from '../../store/sql.ts';
import { authorizeInHub } from '../access/permissions.ts';
import type { HubRole } from '../access/principal.ts';
import {
  createConnectionAddition,
  createConnectionChange,
  createConnectionRemoval,
} from '../connections/connections-service.ts';
import type { HubContext } from '../context.ts';
import { createHubCreation, createSettingsChange, readChangedHub } from '../hubs/hub-directory.ts';
import { createMemberChange, createMemberRemoval } from '../members/members-service.ts';
import { type HubChangeStep, type MemberChange, makeChanges, type PreparedChange } from './hub-change.ts';
import { readHubRevision } from './hub-revision.ts';

/** The changes throw what the methods of their services throw. */
export type HubChangesService = {
  createHub(caller: PersonCaller, input: CreateHubRequest): PreparedChange;
  changeSettings(caller: PersonCaller, slug: string, input: UpdateHubRequest): PreparedChange;
  setMember(caller: PersonCaller, slug: string, personId: string, role: HubRole): MemberChange;
  removeMember(caller: PersonCaller, slug: string, personId: string): MemberChange;
  addConnection(caller: PersonCaller, slug: string, input: CreateHubConnectionRequest): PreparedChange;
  changeConnection(caller: PersonCaller, slug: string, ref: string, input: UpdateHubConnectionRequest): PreparedChange;
  removeConnection(caller: PersonCaller, slug: string, ref: string): PreparedChange;
  /**
   * In this order, all or none; resolves with the hub, also where the caller has left it. Throws HUB_CHANGE_REFUSED; with an expected
   * revision HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT and HUB_CHANGED.
   */
  make(
    caller: PersonCaller,
    slug: string,
    changes: readonly HubChangeStep[],
    expectedRevision?: string,
  ): Promise<HubDetails>;
};

export function createHubChangesService(context: HubContext): HubChangesService {
  return {
    createHub: (caller, input) => createHubCreation(context, caller, input),
    changeSettings: (caller, slug, input) => createSettingsChange(context, caller, slug, input),
    setMember: (caller, slug, personId, role) => createMemberChange(context, caller, slug, { personId, role }),
    removeMember: (caller, slug, personId) =>
      createMemberRemoval(context, caller, slug, { personId, action: 'member.manage' }),
    addConnection: (caller, slug, input) => createConnectionAddition(context, caller, slug, input),
    changeConnection: (caller, slug, ref, input) => createConnectionChange(context, { caller, slug, ref }, input),
    removeConnection: (caller, slug, ref) => createConnectionRemoval(context, { caller, slug, ref }),
    make: (caller, slug, changes, expectedRevision) =>
      makeChanges(context.database, changes, {
        check(sql) {
          if (expectedRevision !== undefined) assertRevision(sql, caller, slug, expectedRevision);
        },
        read: (sql) => readChangedHub(sql, caller, slug),
      }),
  };
}

/** Only who may change the hub learns its revision from a refusal. */
function assertRevision(sql: Sql, caller: PersonCaller, slug: string, expected: string): void {
  const actual = readHubRevision(sql, authorizeInHub(sql, caller, slug, 'member.manage').hubId);
  if (expected !== actual)
    throw vpError(
      'HUB_CHANGED',
      { hub: slug, expected, actual, file: '<file>' },
      { diagnostics: [{ expected, actual }] },
    );
}
