/**
 * Permissions in a hub, in one table: a row is an action, the value lists the roles. The role on the control plane does
 * not matter here, except that an API key never exceeds the role it was created with.
 */
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { getLowerRole } from '../../identity/tokens/api-keys.ts';
import { listPersonMemberships, type MembershipRow } from '../../store/control/hubs/members.ts';
import type { Sql } from '../../store/sql.ts';
import type { HubRole } from './principal.ts';

const allRoles = ['owner', 'member', 'viewer'] as const;
const ownersOnly = ['owner'] as const;

export const hubPermissions = {
  'hub.see': allRoles,
  'hub.rename': ownersOnly,
  'hub.remove': ownersOnly,
  'member.see': allRoles,
  'member.manage': ownersOnly,
  'member.leave': allRoles,
  'connection.see': allRoles,
  'connection.manage': ownersOnly,
  /** To call a tool manually; the policy decides which. */
  'tool.try': ['owner', 'member'],
  /** The caller's own personal access tokens. */
  'token.make': allRoles,
  'token.see_all': ownersOnly,
  'token.end_any': ownersOnly,
  'policy.see': allRoles,
  'policy.manage': ownersOnly,
  'tool.approve': ownersOnly,
  /** The caller's own held calls, and those that the policy lets the caller decide. */
  'approval.see': allRoles,
  /** The caller's own calls; `audit.see_all` allows everybody's. */
  'audit.see': allRoles,
  'audit.see_all': ownersOnly,
} as const satisfies Readonly<Record<string, readonly HubRole[]>>;

export type HubAction = keyof typeof hubPermissions;

export function isAllowedInHub(role: HubRole, action: HubAction): boolean {
  const roles: readonly HubRole[] = hubPermissions[action];
  return roles.includes(role);
}

/** The role of a caller in a hub, limited by the role of their API key. */
export function getEffectiveRole(caller: PersonCaller, role: HubRole): HubRole {
  return caller.via === 'api_key' ? getLowerRole(role, caller.role) : role;
}

/** A caller's membership of a hub. */
export type HubMembership = { readonly hubId: string; readonly slug: string; readonly role: HubRole };

function toHubMembership(caller: PersonCaller, row: MembershipRow): HubMembership {
  return { hubId: row.hub_id, slug: row.slug, role: getEffectiveRole(caller, row.role) };
}

/** Returns the caller's membership of the hub with this slug. Throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export function authorizeInHub(sql: Sql, caller: PersonCaller, slug: string, action: HubAction): HubMembership {
  return assertAllowedInHub(findMembershipBySlug(sql, caller, slug), slug, action);
}

/** {@link authorizeInHub} in a transaction of its own. */
export type AuthorizeInHub = (caller: PersonCaller, slug: string, action: HubAction) => Promise<HubMembership>;

/** Throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export function assertAllowedInHub(
  membership: HubMembership | undefined,
  slug: string,
  action: HubAction,
): HubMembership {
  if (!membership) throw vpError('HUB_UNKNOWN', { hub: slug });
  if (isAllowedInHub(membership.role, action)) return membership;
  throw vpError('HUB_ROLE_INSUFFICIENT', { hub: slug, role: membership.role, action });
}

/** Undefined if the caller is a member of no hub with this slug. */
export function findMembershipBySlug(sql: Sql, caller: PersonCaller, slug: string): HubMembership | undefined {
  const row = listPersonMemberships(sql, caller.personId).find((membershipRow) => membershipRow.slug === slug);
  return row && toHubMembership(caller, row);
}

/** Returns undefined if the caller is not a member of the hub. */
export function findMembership(sql: Sql, caller: PersonCaller, hubId: string): HubMembership | undefined {
  const row = listPersonMemberships(sql, caller.personId).find((membershipRow) => membershipRow.hub_id === hubId);
  return row && toHubMembership(caller, row);
}
