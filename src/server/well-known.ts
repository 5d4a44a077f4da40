/**
 * Where MCP clients learn how to sign in (RFC 9728): a document for each hub, for its memory, and for the addresses that
 * belong to no hub; each at its own address and at those where clients look that put `.well-known` first. A document says
 * nothing about whether there is such a hub. `/agent/mcp` has none: tokens for it are not found by discovery.
 */
import { Type } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';
import { documentUrl, isOurs, isSlug, type Resource, resourceDocument } from '../identity/oauth/resources.ts';
import { openRoute, type ServerRoute, type ServerServices } from './route.ts';

const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 100 }) });
const inserted = '/.well-known/oauth-protected-resource';

/** Our origin as the caller names it: on this machine that may be another of its names. */
function originAt(issuer: string, request: Request): string {
  const { origin } = new URL(request.url);
  return isOurs(issuer, origin) ? origin : issuer;
}

/** The document's address for the hub of this slug, as it is told with 401. Throws ROUTE_UNKNOWN for what is no slug. */
export function resourceMetadata(issuer: string, request: Request, resource: Resource): string {
  if ('slug' in resource) demandSlug(resource.slug, request);
  return documentUrl(originAt(issuer, request), resource);
}

/** Throws ROUTE_UNKNOWN for what can be no hub's slug: it stands in no answer of ours. */
export function demandSlug(slug: string, { method, url }: Pick<Request, 'method' | 'url'>): void {
  if (!isSlug(slug)) throw vpError('ROUTE_UNKNOWN', { method, path: new URL(url).pathname.slice(0, 200) });
}

type Arriving = { readonly services: ServerServices; readonly request: Request; readonly address: string };

function answered({ services, request, address }: Arriving, resource: Resource): Response {
  services.openCalls.take(address);
  const issuer = services.identity.oauth.issuer();
  const document = resourceDocument(issuer, originAt(issuer, request), resource);
  return Response.json(document, { headers: { 'Cache-Control': 'no-store' } });
}

function documentRoute(path: string, operation: string, kind: 'hub' | 'memory' | 'none'): ServerRoute {
  const shared = { method: 'GET', path, operation, media: ['application/json'] } as const;
  if (kind === 'none') {
    const summary = 'How to sign in: the addresses that belong to no hub (RFC 9728)';
    return openRoute({ ...shared, summary, handler: async (call) => answered(call, { kind }) });
  }
  return openRoute({
    ...shared,
    summary: `How to sign in to ${kind === 'hub' ? 'a hub' : 'the memory of a hub'} (RFC 9728); the same whether there is one or not`,
    params: Slug,
    handler: async (call) => {
      const { slug } = call.params;
      demandSlug(slug, call.request);
      return answered(call, { kind, slug });
    },
  });
}

/** The documents. */
export const wellKnownRoutes: readonly ServerRoute[] = [
  documentRoute('/hub/{slug}/.well-known/oauth-protected-resource', 'getHubResource', 'hub'),
  documentRoute(`${inserted}/hub/{slug}`, 'getHubResourceInserted', 'hub'),
  documentRoute(`${inserted}/hub/{slug}/mcp`, 'getHubAddressResource', 'hub'),
  documentRoute('/memory/hub/{slug}/.well-known/oauth-protected-resource', 'getMemoryResource', 'memory'),
  documentRoute(`${inserted}/memory/hub/{slug}`, 'getMemoryResourceInserted', 'memory'),
  documentRoute(`${inserted}/memory/hub/{slug}/mcp`, 'getMemoryAddressResource', 'memory'),
  documentRoute(inserted, 'getResource', 'none'),
  documentRoute(`${inserted}/mcp`, 'getAddressResource', 'none'),
];
