/** Which roles a policy allows to call a tool, and how to enable or disable one. */

import type { HubMember } from '../../../contract/hubs/hubs-api.ts';
import type { HubPolicyDocument, RoleRules } from '../../../contract/hubs/policy-api.ts';

type Role = HubMember['role'];
const roles: readonly Role[] = ['owner', 'member', 'viewer'];
/** Rules of a role that the policy does not mention. */
const defaultRules: Readonly<Record<Role, RoleRules>> = { owner: {}, member: {}, viewer: { read_only: true } };

export function getRoleRules({ roles: policyRoles }: HubPolicyDocument, role: Role): RoleRules {
  return policyRoles?.[role] ?? defaultRules[role];
}

/** `*` matches any characters. */
function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*?')}$`, 's').test(name);
}

/** Roles limited to reading are included only if the tool is declared read-only. */
export function listAllowedRoles(policy: HubPolicyDocument, name: string, isReadOnlyTool: boolean): readonly Role[] {
  return roles.filter((role) => {
    const { allow, deny = [], read_only: readOnly = false } = getRoleRules(policy, role);
    if (readOnly && !isReadOnlyTool) return false;
    return (
      !deny.some((pattern) => matchesPattern(pattern, name)) &&
      (!allow || allow.some((pattern) => matchesPattern(pattern, name)))
    );
  });
}

/** True if the policy denies the tool by name to every role, as {@link setToolEnabled} does. */
export function isToolDisabled(policy: HubPolicyDocument, name: string): boolean {
  return roles.every((role) => getRoleRules(policy, role).deny?.includes(name) ?? false);
}

/** Denies the tool by name to every role, or removes it from the deny lists. */
export function setToolEnabled(policy: HubPolicyDocument, name: string, isEnabled: boolean): HubPolicyDocument {
  const updateRules = (role: Role): RoleRules => {
    const { deny = [], ...rest } = getRoleRules(policy, role);
    const remaining = deny.filter((pattern) => pattern !== name);
    const nextDeny = isEnabled ? remaining : [...remaining, name];
    return nextDeny.length === 0 ? rest : { ...rest, deny: nextDeny };
  };
  return {
    ...policy,
    roles: { owner: updateRules('owner'), member: updateRules('member'), viewer: updateRules('viewer') },
  };
}
