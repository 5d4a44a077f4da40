/** The part of the catalogue for registries of MCP servers. */
import type { CommandEntry } from '../command-line/command.ts';

export const registryCatalogue: readonly CommandEntry[] = [
  {
    name: 'registry create',
    summary: 'print the server.json of the hub or the memory service, for publishing in a registry',
    load: async () => (await import('./registry/create.ts')).registryCreateCommand,
    formerNames: ['registry make'],
  },
  {
    name: 'registry key',
    summary: 'create the signing key for a registry, and print its TXT record',
    load: async () => (await import('./registry/key.ts')).registryKeyCommand,
  },
  {
    name: 'registry check',
    summary: 'check whether a domain has the TXT record of your signing key',
    load: async () => (await import('./registry/check.ts')).registryCheckCommand,
  },
  {
    name: 'registry publish',
    summary: 'publish documents in a registry, with a proof of their domain',
    load: async () => (await import('./registry/publish.ts')).registryPublishCommand,
  },
  {
    name: 'registry status',
    summary: 'mark what you published in a registry as deprecated, deleted or active',
    load: async () => (await import('./registry/status.ts')).registryStatusCommand,
  },
];
