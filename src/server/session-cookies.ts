/**
 * The cookies of a browser: the first half of its session, and the mark of one that signed in before. Their names carry the
 * port, because cookies of one host are sent to every port of it.
 */
import type { Site } from './site.ts';

/** The secrets that a browser sent; each undefined where it has none. */
export type SessionCookies = { readonly session: string | undefined; readonly device: string | undefined };

const daySeconds = 86_400;

type Kind = 'session' | 'device' | 'sso';

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
  const valid = (value: string | undefined): string | undefined =>
    value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
  return {
    session: valid(cookieValue(request, nameOf('session', site))),
    device: valid(cookieValue(request, nameOf('device', site))),
  };
}

function cookie(kind: Kind, site: Site, value: string, maxAgeSeconds: number): string {
  const secure = site.isSecure ? '; Secure' : '';
  return `${nameOf(kind, site)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
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

/** `Set-Cookie` that takes the session's secret away. */
export function endedCookie(site: Site): string {
  return cookie('session', site, '', 0);
}
