/** server.json of our own two services: each with the way of OAuth first, then that of a personal access token. */
import type { RegistryRemote } from '../contract/registry-api.ts';
import { reversed } from './domain.ts';
import { type ServerDocument, schemaUrl } from './server-document.ts';

/** The services that can be published. */
export const ownServices = ['hub', 'memory'] as const;
/** One of {@link ownServices}. */
export type OwnService = (typeof ownServices)[number];

/** What is made of the defaults, and for whom. */
export type OwnDocumentOptions = {
  readonly domain: string;
  /** Of the control plane; a slash at its end does not matter. */
  readonly baseUrl: string;
  /** `<baseUrl>/memory` unless said otherwise. */
  readonly memoryUrl?: string | undefined;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
};

const words = {
  hub: {
    title: 'Tool hub',
    description: 'The tools of a team’s connected servers behind one address, governed and audited',
  },
  memory: {
    title: 'Memory',
    description: 'What agents remember for a person or a team, kept apart by hub, and audited',
  },
} as const;

const slugWord = {
  description: 'Slug of the hub, as its page in the console shows it',
  isRequired: true,
  placeholder: 'acme',
} as const;
const authorization = {
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

function remotesOf(byOAuth: string, byToken: string): RegistryRemote[] {
  const { variables, ...header } = authorization;
  return [
    { type: 'streamable-http', url: byOAuth, variables: { slug: slugWord } },
    { type: 'streamable-http', url: byToken, headers: [{ ...header, variables: { ...variables } }] },
  ];
}

/** The document of a service. It follows the rules when domain and addresses do; that is for who publishes to look at. */
export function ownDocument(service: OwnService, options: OwnDocumentOptions): ServerDocument {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const memoryUrl = (options.memoryUrl ?? `${baseUrl}/memory`).replace(/\/+$/, '');
  const { title, description } = words[service];
  return {
    $schema: schemaUrl,
    name: `${reversed(options.domain)}/${service}`,
    title: options.title ?? title,
    description: options.description ?? description,
    version: options.version,
    remotes:
      service === 'hub'
        ? remotesOf(`${baseUrl}/hub/{slug}/mcp`, `${baseUrl}/agent/mcp`)
        : remotesOf(`${memoryUrl}/hub/{slug}/mcp`, `${memoryUrl}/mcp`),
  };
}
