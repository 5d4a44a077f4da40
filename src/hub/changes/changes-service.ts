/** Changes of a hub, its members and connections, to be made together with others. */
import type {
  CreateHubConnectionRequest,
  CreateHubRequest,
  UpdateHubConnectionRequest,
  UpdateHubRequest,
} from '../../contract/hubs/hubs-api.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import {
  createConnectionAddition,
  createConnectionChange,
  createConnectionRemoval,
} from '../connections/connections-service.ts';
import type { HubContext } from '../context.ts';
import { createHubCreation, createSettingsChange } from '../hubs/hub-directory.ts';
import { createMemberChange, createMemberRemoval } from '../members/members-service.ts';
import type { HubRole } from '../types.ts';
import { makeChanges, type PreparedChange } from './hub-change.ts';

/** The changes throw what the methods of their services throw. */
export type HubChangesService = {
  createHub(caller: PersonCaller, input: CreateHubRequest): PreparedChange;
  changeSettings(caller: PersonCaller, slug: string, input: UpdateHubRequest): PreparedChange;
  setMember(caller: PersonCaller, slug: string, personId: string, role: HubRole): PreparedChange;
  removeMember(caller: PersonCaller, slug: string, personId: string): PreparedChange;
  addConnection(caller: PersonCaller, slug: string, input: CreateHubConnectionRequest): PreparedChange;
  changeConnection(caller: PersonCaller, slug: string, ref: string, input: UpdateHubConnectionRequest): PreparedChange;
  removeConnection(caller: PersonCaller, slug: string, ref: string): PreparedChange;
  /** In this order, all or none. Throws HUB_CHANGE_REFUSED. */
  make(changes: readonly PreparedChange[]): Promise<void>;
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
    make: (changes) => makeChanges(context.database, changes),
  };
}
