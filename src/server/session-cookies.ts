/**
 * The cookies of a browser: the first half of its session, and the mark of one that signed in before. Their names carry the
 * port, because cookies of one host are sent to every port of it.
 */
import type { Site } from './site.ts';

/** The secrets that a browser sent; each undefined where it has none. */
export type SessionCookies = { readonly session: string | undefined; readonly device: string | undefined };

const daySeconds = 86_400;

type Kind = 'session' | 'device' | 'sso' | 'upstream';

function nameOf(kind: Kind, { port, isSecure }: Site): string {
  return `${isSecure ? '__Host-' : ''}vp-${kind}-${port}`;
}

/** The value of a cookie of the request. */
export function cookieValue(request: Request, name: string): string | undefined {
  const all = request.headers.get('cookie')?.split(';') ?? [];
  const found = all.map((pair) => pair.trim()).find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1) || undefined;
}

/** Our cookies of the request. */
export function readCookies(request: Request, site: Site): SessionCookies {
  return { session: secretIn(request, 'session', site), device: secretIn(request, 'device', site) };
}

function secretIn(request: Request, kind: Kind, site: Site): string | undefined {
  const value = cookieValue(request, nameOf(kind, site));
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

function cookie(kind: Kind, site: Site, value: string, maxAgeSeconds: number, sameSite = 'Strict'): string {
  const secure = site.isSecure ? '; Secure' : '';
  return `${nameOf(kind, site)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** `Set-Cookie` of a session's secret. */
export function sessionCookie(site: Site, secret: string): string {
  return cookie('session', site, secret, 30 * daySeconds);
}

/** `Set-Cookie` of the mark of a browser. */
export function deviceCookie(site: Site, secret: string): string {
  return cookie('device', site, secret, 180 * daySeconds);
}

/** What this browser began with the provider of single sign-on. */
export function singleSignOnCookieOf(request: Request, site: Site): string | undefined {
  return cookieValue(request, nameOf('sso', site));
}

/** `Set-Cookie` of it; without a value it is taken away. */
export function singleSignOnCookie(site: Site, value: string | undefined): string {
  return cookie('sso', site, value ?? '', value === undefined ? 0 : 600);
}

/** What this browser is known by while somebody signs in to a connection's server with it. */
export function upstreamCookieOf(request: Request, site: Site): string | undefined {
  return secretIn(request, 'upstream', site);
}

/**
 * `Set-Cookie` of it; without a value it is taken away. Lax, because the browser brings it back from another site's page, where it
 * does not bring the session's.
 */
export function upstreamCookie(site: Site, value: string | undefined): string {
  return cookie('upstream', site, value ?? '', value === undefined ? 0 : 660, 'Lax');
}

/** `Set-Cookie` that takes the session's secret away. */
export function endedCookie(site: Site): string {
  return cookie('session', site, '', 0);
}
