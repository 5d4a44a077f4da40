/**
 * What scripts of other origins may call, when the operator has listed their origins: the MCP endpoints, and what an OAuth
 * client needs to sign in to them. Never the console's API.
 */
import type { CrossOriginPolicy } from '../../http/listener/cors.ts';
import { slugPattern } from '../../identity/oauth/resources/resources.ts';

const hubPathPattern = `/hub/${slugPattern}`;
const metadataPathPattern = '/\\.well-known/oauth-protected-resource';

/** Matched exactly: no path has a second spelling. */
const sharedAddresses: readonly (readonly [pattern: RegExp, methods: string])[] = [
  [new RegExp(`^(/mcp|/agent/mcp|${hubPathPattern}/mcp)$`), 'GET, POST, DELETE'],
  [new RegExp(`^/memory(/mcp|${hubPathPattern}/mcp)$`), 'POST'],
  [new RegExp(`^${metadataPathPattern}(/mcp|(/memory)?${hubPathPattern}(/mcp)?)?$`), 'GET'],
  [new RegExp(`^(/memory)?${hubPathPattern}${metadataPathPattern}$`), 'GET'],
  [/^\/\.well-known\/(oauth-authorization-server|openid-configuration)$/, 'GET'],
  [/^\/oauth\/(token|register|revoke)$/, 'POST'],
];

const allowedHeaders: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
]);

/** Undefined without origins. */
export function createScriptAccessPolicy(origins: readonly string[] = []): CrossOriginPolicy | undefined {
  if (origins.length === 0) return undefined;
  return {
    origins: new Set(origins),
    getMethods: (path) => sharedAddresses.find(([pattern]) => pattern.test(path))?.[1],
    // Tool arguments that servers require as headers.
    isAllowedHeader: (header) => allowedHeaders.has(header) || header.startsWith('mcp-param-'),
    exposedHeaders: ['Mcp-Session-Id', 'WWW-Authenticate', 'X-Request-Id'],
  };
}
