import type { HubMember } from '../../../contract/hubs/hubs-api.ts';

export const hubRoleOptions: readonly (readonly [role: HubMember['role'], text: string])[] = [
  ['owner', 'owner'],
  ['member', 'member'],
  ['viewer', 'viewer'],
];

export const hubRoleHint =
  'Owners can change everything in the hub, members can call its tools, viewers can call its read-only tools.';
