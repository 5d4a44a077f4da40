/**
 * Who may do what in a hub: the only place that says so. A row is an action, a column a role in that hub. What somebody is
 * on the control plane does not matter here, save that an API key may never do more than the role it was made with.
 */
import { vpError } from '../errors/vp-error.ts';
import { lesserRole } from '../identity/api-keys.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { type MembershipRow, membershipsOf } from '../store/control/hub-members.ts';
import type { Sql } from '../store/sql.ts';
import type { HubRole } from './words.ts';

const everyone = ['owner', 'member', 'viewer'] as const;
const owners = ['owner'] as const;

/** The table. */
export const hubAuthorization = {
  'hub.see': everyone,
  'hub.rename': owners,
  'hub.remove': owners,
  'member.see': everyone,
  'member.manage': owners,
  'member.leave': everyone,
  'connection.see': everyone,
  'connection.manage': owners,
  /** To call a tool by hand; what may be called the policy says. */
  'tool.try': ['owner', 'member'],
  /** One's own personal access tokens. */
  'token.make': everyone,
  'token.see_all': owners,
  'token.end_any': owners,
  'policy.see': everyone,
  'policy.manage': owners,
  'tool.approve': owners,
  /** One's own calls; those of all where `audit.see_all` allows it. */
  'audit.see': everyone,
  'audit.see_all': owners,
} as const satisfies Readonly<Record<string, readonly HubRole[]>>;

/** An action of the table. */
export type HubAction = keyof typeof hubAuthorization;

/** True where the table lists the role. */
export function mayInHub(role: HubRole, action: HubAction): boolean {
  const roles: readonly HubRole[] = hubAuthorization[action];
  return roles.includes(role);
}

/** What somebody may act as in a hub that they belong to. */
export function hubRoleOf(caller: PersonCaller, role: HubRole): HubRole {
  return caller.via === 'api_key' ? lesserRole(role, caller.role) : role;
}

/** A hub as the caller stands in it. */
export type Standing = { readonly hubId: string; readonly slug: string; readonly role: HubRole };

function standingOf(caller: PersonCaller, row: MembershipRow): Standing {
  return { hubId: row.hub_id, slug: row.slug, role: hubRoleOf(caller, row.role) };
}

/** The hub of this slug among those that the caller belongs to at this moment. Throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export function demandHub(sql: Sql, caller: PersonCaller, slug: string, action: HubAction): Standing {
  const row = membershipsOf(sql, caller.personId).find((one) => one.slug === slug);
  if (!row) throw vpError('HUB_UNKNOWN', { hub: slug });
  const standing = standingOf(caller, row);
  if (mayInHub(standing.role, action)) return standing;
  throw vpError('HUB_ROLE_INSUFFICIENT', { hub: slug, role: standing.role, action });
}

/** How the caller stands in the hub with this id; undefined where they do not belong to it. */
export function standingIn(sql: Sql, caller: PersonCaller, hubId: string): Standing | undefined {
  const row = membershipsOf(sql, caller.personId).find((one) => one.hub_id === hubId);
  return row && standingOf(caller, row);
}
