/**
 * Protected resource metadata (RFC 9728), from which MCP clients learn how to sign in: a document for each hub, for its
 * memory, and for URLs without a hub; each at its own path and at the variants that clients with an inserted `.well-known`
 * try. A document does not reveal whether the hub exists. `/agent/mcp` has none: its tokens are not found by discovery.
 */
import { Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import {
  buildResourceMetadata,
  buildResourceMetadataUrl,
  isOwnOrigin,
  isSlug,
  type ProtectedResource,
} from '../../identity/oauth/resources/resources.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';

const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 100 }) });
const insertedPath = '/.well-known/oauth-protected-resource';

/** Our origin as the caller addresses it, which may be another name of this machine. */
function resolveOrigin(issuer: string, request: Pick<Request, 'url'>): string {
  const { origin } = new URL(request.url);
  return isOwnOrigin(issuer, origin) ? origin : issuer;
}

/** The URL of the metadata document, for a 401 response. Throws ROUTE_UNKNOWN for an invalid slug. */
export function getResourceMetadataUrl(
  issuer: string,
  request: Pick<Request, 'method' | 'url'>,
  resource: ProtectedResource,
): string {
  if ('slug' in resource) assertSlug(resource.slug, request);
  return buildResourceMetadataUrl(resolveOrigin(issuer, request), resource);
}

/** Throws ROUTE_UNKNOWN for an invalid slug, so that it is never reflected in a response. */
export function assertSlug(slug: string, { method, url }: Pick<Request, 'method' | 'url'>): void {
  if (!isSlug(slug)) throw vpError('ROUTE_UNKNOWN', { method, path: new URL(url).pathname.slice(0, 200) });
}

type MetadataRequest = { readonly services: ServerServices; readonly request: Request; readonly address: string };

function createMetadataResponse(
  { services, request, address }: MetadataRequest,
  resource: ProtectedResource,
): Response {
  services.openCallLimiter.take(address);
  const issuer = services.identity.oauth.issuer();
  const document = buildResourceMetadata(issuer, resolveOrigin(issuer, request), resource);
  return Response.json(document, { headers: { 'Cache-Control': 'no-store' } });
}

function createMetadataRoute(path: string, operation: string, kind: 'hub' | 'memory' | 'none'): ServerRoute {
  const commonOptions = { method: 'GET', path, operation, media: ['application/json'] } as const;
  if (kind === 'none') {
    const summary = 'Protected resource metadata for URLs without a hub (RFC 9728)';
    return openRoute({ ...commonOptions, summary, handler: async (call) => createMetadataResponse(call, { kind }) });
  }
  return openRoute({
    ...commonOptions,
    summary: `Protected resource metadata of ${kind === 'hub' ? 'a hub' : 'the memory of a hub'} (RFC 9728); the same whether it exists or not`,
    params: Slug,
    handler: async (call) => {
      const { slug } = call.params;
      assertSlug(slug, call.request);
      return createMetadataResponse(call, { kind, slug });
    },
  });
}

export const resourceMetadataRoutes: readonly ServerRoute[] = [
  createMetadataRoute('/hub/{slug}/.well-known/oauth-protected-resource', 'getHubResource', 'hub'),
  createMetadataRoute(`${insertedPath}/hub/{slug}`, 'getHubResourceInserted', 'hub'),
  createMetadataRoute(`${insertedPath}/hub/{slug}/mcp`, 'getHubAddressResource', 'hub'),
  createMetadataRoute('/memory/hub/{slug}/.well-known/oauth-protected-resource', 'getMemoryResource', 'memory'),
  createMetadataRoute(`${insertedPath}/memory/hub/{slug}`, 'getMemoryResourceInserted', 'memory'),
  createMetadataRoute(`${insertedPath}/memory/hub/{slug}/mcp`, 'getMemoryAddressResource', 'memory'),
  createMetadataRoute(insertedPath, 'getResource', 'none'),
  createMetadataRoute(`${insertedPath}/mcp`, 'getAddressResource', 'none'),
];
