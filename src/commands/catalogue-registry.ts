/** The part of the catalogue that is about registries of MCP servers. */
import type { CatalogueEntry } from './catalogue.ts';

/** In the order of the help. */
export const registryCatalogue: readonly CatalogueEntry[] = [
  {
    name: 'registry make',
    summary: 'print server.json of the hub or of the memory service, to publish it in a registry',
    load: async () => (await import('./registry-make.ts')).registryMakeCommand,
  },
  {
    name: 'registry key',
    summary: 'make the key that signs for a registry, and print the TXT record that shows it',
    load: async () => (await import('./registry-key.ts')).registryKeyCommand,
  },
  {
    name: 'registry check',
    summary: 'look up whether a domain shows the key that signs for a registry',
    load: async () => (await import('./registry-check.ts')).registryCheckCommand,
  },
  {
    name: 'registry publish',
    summary: 'publish documents in a registry, after proving their domain to it',
    load: async () => (await import('./registry-publish.ts')).registryPublishCommand,
  },
  {
    name: 'registry status',
    summary: 'say in a registry that what you published is deprecated or deleted, or active again',
    load: async () => (await import('./registry-status.ts')).registryStatusCommand,
  },
];
