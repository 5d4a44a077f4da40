/**
 * What scripts of pages of other origins may reach of a control plane, where its operator named their origins: the
 * addresses of MCP, and what a program needs to sign in for them. Never the console's API.
 */
import type { CrossOrigin } from '../http/cors.ts';
import { slugPattern } from '../identity/oauth/resources.ts';

const hub = `/hub/${slugPattern}`;
const metadata = '/\\.well-known/oauth-protected-resource';

/** Exactly so spelled: no address has another way of being written here. */
const addresses: readonly (readonly [pattern: RegExp, methods: string])[] = [
  [new RegExp(`^(/mcp|/agent/mcp|${hub}/mcp)$`), 'GET, POST, DELETE'],
  [new RegExp(`^/memory(/mcp|${hub}/mcp)$`), 'POST'],
  [new RegExp(`^${metadata}(/mcp|(/memory)?${hub}(/mcp)?)?$`), 'GET'],
  [new RegExp(`^(/memory)?${hub}${metadata}$`), 'GET'],
  [/^\/\.well-known\/(oauth-authorization-server|openid-configuration)$/, 'GET'],
  [/^\/oauth\/(token|register|revoke)$/, 'POST'],
];

const sendable: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
]);

/** For these origins; undefined where there are none. */
export function scriptAccess(origins: readonly string[] = []): CrossOrigin | undefined {
  if (origins.length === 0) return undefined;
  return {
    origins: new Set(origins),
    methodsOf: (path) => addresses.find(([pattern]) => pattern.test(path))?.[1],
    // Arguments of tools that their servers want to see in headers.
    isSendable: (header) => sendable.has(header) || header.startsWith('mcp-param-'),
    readable: ['Mcp-Session-Id', 'WWW-Authenticate', 'X-Request-Id'],
  };
}
