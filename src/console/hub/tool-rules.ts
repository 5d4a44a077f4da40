/** Which roles a policy lets call a tool, and how to switch one on and off. */

import type { HubMember } from '../../contract/hub-api.ts';
import type { HubPolicyDocument, HubTool, RoleRules } from '../../contract/hub-policy-api.ts';

type Role = HubMember['role'];
const roles: readonly Role[] = ['owner', 'member', 'viewer'];
/** What holds for a role of which a policy says nothing. */
const unsaid: Readonly<Record<Role, RoleRules>> = { owner: {}, member: {}, viewer: { read_only: true } };

/** What a policy says of a role, or what holds where it says nothing. */
export function roleRules({ roles: said }: HubPolicyDocument, role: Role): RoleRules {
  return said?.[role] ?? unsaid[role];
}

/** `*` stands for any characters. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*?')}$`, 's').test(name);
}

/** The roles that may call the tool of this name; those that may only read, only where it says that it only reads. */
export function rolesThatMay(policy: HubPolicyDocument, name: string, isReading: boolean): readonly Role[] {
  return roles.filter((role) => {
    const { allow, deny = [], read_only: readOnly = false } = roleRules(policy, role);
    if (readOnly && !isReading) return false;
    return !deny.some((one) => matches(one, name)) && (!allow || allow.some((one) => matches(one, name)));
  });
}

/** True where the policy denies the tool to every role by its own name, as {@link switched} does. */
export function isSwitchedOff(policy: HubPolicyDocument, name: string): boolean {
  return roles.every((role) => roleRules(policy, role).deny?.includes(name) ?? false);
}

/** The policy with the tool denied to every role, or no longer denied by its own name. */
export function switched(policy: HubPolicyDocument, name: string, isOn: boolean): HubPolicyDocument {
  const next = (role: Role): RoleRules => {
    const { deny = [], ...rest } = roleRules(policy, role);
    const others = deny.filter((one) => one !== name);
    const denied = isOn ? others : [...others, name];
    return denied.length === 0 ? rest : { ...rest, deny: denied };
  };
  return { ...policy, roles: { owner: next('owner'), member: next('member'), viewer: next('viewer') } };
}

/** What is shown of a definition as a server gave it. */
export type ToolDefinition = {
  readonly title: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, unknown>> | null;
};

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Of the definition that is approved, else of the one that waits. */
export function definitionOf({ approved, waiting }: Pick<HubTool, 'approved' | 'waiting'>): ToolDefinition {
  const { title, description, annotations } = members(approved ?? waiting);
  return {
    title: typeof title === 'string' ? title : '',
    description: typeof description === 'string' ? description : '',
    annotations: annotations === undefined || annotations === null ? null : members(annotations),
  };
}
