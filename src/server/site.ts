/** Where a browser takes us to be: its address bar decides about cookies, links and which pages are ours. */
import { vpError } from '../errors/vp-error.ts';

/** One of the addresses we are reached by. */
export type Site = { readonly origin: string; readonly port: string; readonly isSecure: boolean };

function siteAt({ origin, port, protocol }: URL): Site {
  const isSecure = protocol === 'https:';
  return { origin, port: port || (isSecure ? '443' : '80'), isSecure };
}

/**
 * The site of a request, by its Host (which the listener has checked). A proxy in front speaks plain http to us, so the
 * scheme is that of the public URL with this host.
 */
export function siteOf(request: Request, publicUrls: readonly URL[]): Site {
  const url = new URL(request.url);
  return siteAt(publicUrls.find(({ host }) => host === url.host) ?? url);
}

/** The origin that links for other people are made with. */
export function linkOrigin(request: Request, publicUrls: readonly URL[]): string {
  return publicUrls[0]?.origin ?? siteOf(request, publicUrls).origin;
}

/**
 * Throws ORIGIN_REFUSED unless the request comes from a page of ours. Browsers name the origin of whatever may change
 * something; a page on another port of this host is another origin.
 */
export function demandOwnPage(request: Request, publicUrls: readonly URL[]): void {
  const origin = request.headers.get('origin');
  const own = [siteOf(request, publicUrls).origin, ...publicUrls.map((url) => url.origin)];
  if (origin !== null && own.includes(origin)) return;
  throw vpError('ORIGIN_REFUSED', { origin: origin?.slice(0, 100) ?? '(none)' });
}
