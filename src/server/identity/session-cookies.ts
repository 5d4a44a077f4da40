/**
 * The cookies of a browser: the secret of its session, and the mark of a browser that has signed in before. Their names
 * contain the port, because cookies of a host are sent to all its ports.
 */
import type { SiteAddress } from '../access/site.ts';

export type SessionCookies = { readonly session: string | undefined; readonly device: string | undefined };

const daySeconds = 86_400;

type CookieKind = 'session' | 'device' | 'sso' | 'upstream';

function getCookieName(kind: CookieKind, { port, isSecure }: SiteAddress): string {
  return `${isSecure ? '__Host-' : ''}vp-${kind}-${port}`;
}

export function readCookie(request: Request, name: string): string | undefined {
  const pairs = request.headers.get('cookie')?.split(';') ?? [];
  const match = pairs.map((pair) => pair.trim()).find((pair) => pair.startsWith(`${name}=`));
  return match?.slice(name.length + 1) || undefined;
}

export function readCookies(request: Request, site: SiteAddress): SessionCookies {
  return { session: readSecretCookie(request, 'session', site), device: readSecretCookie(request, 'device', site) };
}

function readSecretCookie(request: Request, kind: CookieKind, site: SiteAddress): string | undefined {
  const value = readCookie(request, getCookieName(kind, site));
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

function formatCookie(
  kind: CookieKind,
  site: SiteAddress,
  value: string,
  maxAgeSeconds: number,
  sameSite = 'Strict',
): string {
  const secure = site.isSecure ? '; Secure' : '';
  return `${getCookieName(kind, site)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** `Set-Cookie` with a session's secret. */
export function formatSessionCookie(site: SiteAddress, secret: string): string {
  return formatCookie('session', site, secret, 30 * daySeconds);
}

/** `Set-Cookie` with the mark of a known browser. */
export function formatDeviceCookie(site: SiteAddress, secret: string): string {
  return formatCookie('device', site, secret, 180 * daySeconds);
}

/** The single sign-on that this browser has started. */
export function readSingleSignOnCookie(request: Request, site: SiteAddress): string | undefined {
  return readCookie(request, getCookieName('sso', site));
}

/** `Set-Cookie` with it; without a value the cookie is cleared. */
export function formatSingleSignOnCookie(site: SiteAddress, value: string | undefined): string {
  return formatCookie('sso', site, value ?? '', value === undefined ? 0 : 600);
}

/** Identifies this browser during a sign-in to a connection's server. */
export function readUpstreamCookie(request: Request, site: SiteAddress): string | undefined {
  return readSecretCookie(request, 'upstream', site);
}

/**
 * `Set-Cookie` with it; without a value the cookie is cleared. SameSite=Lax, because it must be sent with the redirect from
 * another site, unlike the session's.
 */
export function formatUpstreamCookie(site: SiteAddress, value: string | undefined): string {
  return formatCookie('upstream', site, value ?? '', value === undefined ? 0 : 660, 'Lax');
}

/** `Set-Cookie` that clears the session's secret. */
export function formatClearedSessionCookie(site: SiteAddress): string {
  return formatCookie('session', site, '', 0);
}
