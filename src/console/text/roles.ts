import type { Role } from '../../contract/identity-api.ts';

export const roleDescriptions: Readonly<Record<Role, string>> = {
  owner: 'everything, including people and their roles',
  member: 'their own environments, scenarios and runs',
  viewer: 'read-only access to everything',
};

/** From most to least permissions. */
export const roleNames: readonly Role[] = ['owner', 'member', 'viewer'];

/** Options for a select. */
export const roleOptions: readonly (readonly [role: Role, text: string])[] = roleNames.map((role) => [
  role,
  `${role}: ${roleDescriptions[role]}`,
]);
