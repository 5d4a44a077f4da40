/** The site that a browser addresses, which decides about cookies, links and accepted origins. */
import { vpError } from '../../errors/vp-error.ts';

export type SiteAddress = { readonly origin: string; readonly port: string; readonly isSecure: boolean };

function toSite({ origin, port, protocol }: URL): SiteAddress {
  const isSecure = protocol === 'https:';
  return { origin, port: port || (isSecure ? '443' : '80'), isSecure };
}

/**
 * The site of a request, by its Host (which the listener has checked). A reverse proxy uses plain http, so the scheme is
 * that of the public URL with this host.
 */
export function resolveSiteAddress(request: Request, publicUrls: readonly URL[]): SiteAddress {
  const url = new URL(request.url);
  return toSite(publicUrls.find(({ host }) => host === url.host) ?? url);
}

/** The origin for links to other people. */
export function getLinkOrigin(request: Request, publicUrls: readonly URL[]): string {
  return publicUrls[0]?.origin ?? resolveSiteAddress(request, publicUrls).origin;
}

/**
 * Throws ORIGIN_REFUSED unless the request comes from one of our pages. Browsers send Origin with every request that may
 * change something; a page on another port of this host has another origin.
 */
export function assertOwnOrigin(request: Request, publicUrls: readonly URL[]): void {
  const origin = request.headers.get('origin');
  const ownOrigins = [resolveSiteAddress(request, publicUrls).origin, ...publicUrls.map((url) => url.origin)];
  if (origin !== null && ownOrigins.includes(origin)) return;
  throw vpError('ORIGIN_REFUSED', { origin: origin?.slice(0, 100) ?? '(none)' });
}
