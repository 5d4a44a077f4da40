/** `targets.http.base_url`: scheme, host and port; a path is dropped, everything else is refused. */
import { isLoopbackHost, stripIPv6Brackets } from '../../addresses/host-address.ts';

/**
 * `droppedPath` is what followed host and port, empty when there was nothing. `host` is without the brackets of IPv6.
 */
export type BaseUrl = { readonly baseUrl: string; readonly host: string; readonly droppedPath: string };

const schemePattern = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//;

const characterProblem = 'contains a space or a backslash';

/** Parses an address, or returns why it is invalid; the message never contains a password. */
export function parseBaseUrl(text: string): BaseUrl | { readonly problem: string } {
  if (/\s/.test(text)) return { problem: characterProblem };
  const scheme = schemePattern.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { problem: 'has no scheme (`http://` or `https://`)' };
  if (scheme !== 'http' && scheme !== 'https') return { problem: `has the scheme \`${scheme}\`, not http or https` };
  if (text.includes('\\')) return { problem: characterProblem };
  const url = URL.parse(text);
  if (!url) return { problem: 'has no usable host and port' };
  if (url.username !== '' || url.password !== '') return { problem: 'contains a user name or password' };
  const suffix = `${url.pathname}${url.search}${url.hash}`;
  return { baseUrl: url.origin, host: stripIPv6Brackets(url.hostname), droppedPath: suffix === '/' ? '' : suffix };
}

/** True for names and addresses of the machine itself. */
export function isLocalHost(host: string): boolean {
  const name = host.toLowerCase();
  return isLoopbackHost(name) || name.endsWith('.localhost') || name === '0.0.0.0' || name === '::';
}
