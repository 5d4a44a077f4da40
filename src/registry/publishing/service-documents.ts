/** server.json of our two services: each with a remote for OAuth first, then one for personal access tokens. */
import type { RegistryRemote } from '../../contract/registry/registry-api.ts';
import { reverseDomain } from '../dns-proof/domain.ts';
import { type ServerDocument, schemaUrl } from '../document/document-types.ts';

export const publishableServices = ['hub', 'memory'] as const;
export type PublishableService = (typeof publishableServices)[number];

export type ServiceDocumentOptions = {
  readonly domain: string;
  /** URL of the control plane; a trailing slash is ignored. */
  readonly baseUrl: string;
  /** `<baseUrl>/memory` by default. */
  readonly memoryUrl?: string | undefined;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
};

const defaultTexts = {
  hub: {
    title: 'Tool hub',
    description: 'The tools of a team’s connected servers behind one address, governed and audited',
  },
  memory: {
    title: 'Memory',
    description: 'What agents remember for a person or a team, kept apart by hub, and audited',
  },
} as const;

const slugVariable = {
  description: 'Slug of the hub, as its page in the console shows it',
  isRequired: true,
  placeholder: 'acme',
} as const;
const authorizationHeader = {
  name: 'Authorization',
  description: 'A personal access token, which says which hub is meant',
  isRequired: true,
  isSecret: true,
  value: 'Bearer {token}',
  variables: {
    token: {
      description: 'Personal access token (vph_…), made under Manage → API Tokens of the hub in the console',
      isRequired: true,
      isSecret: true,
    },
  },
} as const;

function createRemotes(byOAuth: string, byToken: string): RegistryRemote[] {
  const { variables, ...header } = authorizationHeader;
  return [
    { type: 'streamable-http', url: byOAuth, variables: { slug: slugVariable } },
    { type: 'streamable-http', url: byToken, headers: [{ ...header, variables: { ...variables } }] },
  ];
}

/** The result is valid only if domain and URLs are; the publisher checks it. */
export function createServiceDocument(service: PublishableService, options: ServiceDocumentOptions): ServerDocument {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const memoryUrl = (options.memoryUrl ?? `${baseUrl}/memory`).replace(/\/+$/, '');
  const { title, description } = defaultTexts[service];
  return {
    $schema: schemaUrl,
    name: `${reverseDomain(options.domain)}/${service}`,
    title: options.title ?? title,
    description: options.description ?? description,
    version: options.version,
    remotes:
      service === 'hub'
        ? createRemotes(`${baseUrl}/hub/{slug}/mcp`, `${baseUrl}/agent/mcp`)
        : createRemotes(`${memoryUrl}/hub/{slug}/mcp`, `${memoryUrl}/mcp`),
  };
}
