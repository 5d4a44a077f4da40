import type { Role } from '../../contract/identity-api.ts';

/** What each role may do, for those who choose one. */
export const roleWords: Readonly<Record<Role, string>> = {
  owner: 'everything, people and their roles too',
  member: 'their own environments, scenarios and runs',
  viewer: 'sees everything, changes nothing',
};

/** In the order of what they may. */
export const roleNames: readonly Role[] = ['owner', 'member', 'viewer'];

/** As options of a choice. */
export const roleOptions: readonly (readonly [role: Role, text: string])[] = roleNames.map((role) => [
  role,
  `${role}: ${roleWords[role]}`,
]);
