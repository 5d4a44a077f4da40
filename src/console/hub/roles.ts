import type { HubMember } from '../../contract/hub-api.ts';

/** The roles of a hub, as options of a choice. */
export const hubRoles: readonly (readonly [role: HubMember['role'], text: string])[] = [
  ['owner', 'owner'],
  ['member', 'member'],
  ['viewer', 'viewer'],
];

/** What each may do. */
export const hubRoleHint =
  'Owners change everything in the hub, members call its tools, viewers call those that only read.';
