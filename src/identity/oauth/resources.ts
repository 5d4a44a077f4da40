/**
 * What tokens are for (RFC 8707): this control plane's API, the tools of a hub, the memory of a hub. Each hub is a resource
 * of its own, named by its address; the token itself is bound to the hub's id, which no renaming changes.
 */

/** A resource by its address. `none` stands for our addresses that belong to no hub. */
export type Resource = { readonly kind: 'api' | 'none' } | { readonly kind: 'hub' | 'memory'; readonly slug: string };

/** To act as the person on our API. */
export const apiScope = 'api';
/** To see what a hub offers, and to use it. */
export const hubScopes = ['hub:read', 'hub:call'] as const;
/** To use the memory of a hub. */
export const memoryScope = 'memory:use';

const scopesByKind = { api: [apiScope], none: hubScopes, hub: hubScopes, memory: [memoryScope] } as const;

/** The scopes that there are for a resource. */
export function scopesOf({ kind }: Pick<Resource, 'kind'>): readonly string[] {
  return scopesByKind[kind];
}

/** The audience of tokens for our API. */
export function apiAudience(issuer: string): string {
  return `${issuer}/api/v1`;
}

/** What slugs look like, as part of an address. */
export const slugPattern = '[a-z0-9]+(?:-[a-z0-9]+)*';
const longestSlug = 40;

/** True for what could be a hub's slug. */
export function isSlug(text: string): boolean {
  return text.length <= longestSlug && new RegExp(`^${slugPattern}$`).test(text);
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** True for the issuer's origin; where that is on this machine, by any of its names. */
export function isOurs(issuer: string, origin: string): boolean {
  if (origin === issuer) return true;
  const [own, asked] = [new URL(issuer), URL.parse(origin)];
  if (!asked || own.protocol !== 'http:' || !loopbackNames.includes(own.hostname)) return false;
  return asked.protocol === 'http:' && asked.port === own.port && loopbackNames.includes(asked.hostname);
}

const hubPath = new RegExp(`^(/memory)?/hub/(${slugPattern})$`);

/** Reads a resource indicator, exactly: a letter, a slash or a query more is none of ours. */
export function resourceOf(issuer: string, indicator: string): Resource | undefined {
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#@]+)([^?#]*)$/.exec(indicator) ?? [];
  if (!isOurs(issuer, origin)) return undefined;
  if (path === '/api/v1') return { kind: 'api' };
  if (['', '/', '/mcp', '/agent/mcp', '/memory/mcp'].includes(path)) return { kind: 'none' };
  const [, memory, slug = ''] = hubPath.exec(path) ?? [];
  if (!isSlug(slug)) return undefined;
  return { kind: memory === undefined ? 'hub' : 'memory', slug };
}

/** The address of a resource at one of our origins. */
export function indicatorOf(origin: string, resource: Resource): string {
  if (!('slug' in resource)) return resource.kind === 'api' ? apiAudience(origin) : origin;
  return `${origin}${resource.kind === 'memory' ? '/memory' : ''}/hub/${resource.slug}`;
}

/** Where the document of a resource stands (RFC 9728). */
export function documentUrl(origin: string, resource: Resource): string {
  return `${indicatorOf(origin, resource)}/.well-known/oauth-protected-resource`;
}

/** The audience of a token for a hub; without an id, of a hub that the person does not belong to. */
export function hubAudience(kind: 'hub' | 'memory', hubId: string | undefined): string {
  return `urn:vp:${kind}:${hubId ?? ''}`;
}

/** The document of a resource (RFC 9728), which says nothing about whether there is such a hub. */
export function resourceDocument(
  issuer: string,
  origin: string,
  resource: Resource,
): Readonly<Record<string, unknown>> {
  const names = { hub: 'Tools of a hub', memory: 'Memory of a hub', none: 'vp hub service', api: 'vp control plane' };
  return {
    resource: indicatorOf(origin, resource),
    authorization_servers: [issuer],
    scopes_supported: [...scopesOf(resource)],
    bearer_methods_supported: ['header'],
    resource_name: names[resource.kind],
  };
}
