/**
 * The protected resources (RFC 8707): the API of the control plane, the tools of a hub, the memory of a hub. A hub is
 * identified by its URL; its tokens are bound to the hub's id, which stays the same when the hub is renamed.
 */
import { loopbackNames } from '../../../addresses/host-address.ts';

/** A resource. `none` stands for our URLs that belong to no hub. */
export type ProtectedResource =
  | { readonly kind: 'api' | 'none' }
  | { readonly kind: 'hub' | 'memory'; readonly slug: string };

/** Act as the person on the API. */
export const apiScope = 'api';
/** See what a hub offers, and use it. */
export const hubScopes = ['hub:read', 'hub:call'] as const;
/** Use the memory of a hub. */
export const memoryScope = 'memory:use';

const scopesByKind = { api: [apiScope], none: hubScopes, hub: hubScopes, memory: [memoryScope] } as const;

export function listScopes({ kind }: Pick<ProtectedResource, 'kind'>): readonly string[] {
  return scopesByKind[kind];
}

export function buildApiAudience(issuer: string): string {
  return `${issuer}/api/v1`;
}

/** The pattern of a slug, for use in URL patterns. */
export const slugPattern = '[a-z0-9]+(?:-[a-z0-9]+)*';
const maxSlugLength = 40;

export function isSlug(text: string): boolean {
  return text.length <= maxSlugLength && new RegExp(`^${slugPattern}$`).test(text);
}

/** True for the issuer's origin; for a loopback issuer, under any loopback name with the same port. */
export function isOwnOrigin(issuer: string, origin: string): boolean {
  if (origin === issuer) return true;
  const [issuerUrl, candidate] = [new URL(issuer), URL.parse(origin)];
  if (!candidate || issuerUrl.protocol !== 'http:' || !loopbackNames.includes(issuerUrl.hostname)) return false;
  return (
    candidate.protocol === 'http:' && candidate.port === issuerUrl.port && loopbackNames.includes(candidate.hostname)
  );
}

/** Clients that do not read the metadata send the URL of the endpoint, which ends with `/mcp`. */
const hubPath = new RegExp(`^(/memory)?/hub/(${slugPattern})(?:/mcp)?$`);

/** Parses a resource indicator. It must match exactly, without an additional slash or query. */
export function parseResource(issuer: string, indicator: string): ProtectedResource | undefined {
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#@]+)([^?#]*)$/.exec(indicator) ?? [];
  if (!isOwnOrigin(issuer, origin)) return undefined;
  if (path === '/api/v1') return { kind: 'api' };
  if (['', '/', '/mcp', '/agent/mcp', '/memory/mcp'].includes(path)) return { kind: 'none' };
  const [, memory, slug = ''] = hubPath.exec(path) ?? [];
  if (!isSlug(slug)) return undefined;
  return { kind: memory === undefined ? 'hub' : 'memory', slug };
}

export function buildResourceIndicator(origin: string, resource: ProtectedResource): string {
  if (!('slug' in resource)) return resource.kind === 'api' ? buildApiAudience(origin) : origin;
  return `${origin}${resource.kind === 'memory' ? '/memory' : ''}/hub/${resource.slug}`;
}

/** The URL of the protected resource metadata (RFC 9728). */
export function buildResourceMetadataUrl(origin: string, resource: ProtectedResource): string {
  return `${buildResourceIndicator(origin, resource)}/.well-known/oauth-protected-resource`;
}

/** The audience of a token for a hub. `hubId` is undefined when the person is not a member of the hub. */
export function buildHubAudience(kind: 'hub' | 'memory', hubId: string | undefined): string {
  return `urn:vp:${kind}:${hubId ?? ''}`;
}

/** The protected resource metadata (RFC 9728). It does not reveal whether the hub exists. */
export function buildResourceMetadata(
  issuer: string,
  origin: string,
  resource: ProtectedResource,
): Readonly<Record<string, unknown>> {
  const names = { hub: 'Tools of a hub', memory: 'Memory of a hub', none: 'vp hub service', api: 'vp control plane' };
  return {
    resource: buildResourceIndicator(origin, resource),
    authorization_servers: [issuer],
    scopes_supported: [...listScopes(resource)],
    bearer_methods_supported: ['header'],
    resource_name: names[resource.kind],
  };
}
