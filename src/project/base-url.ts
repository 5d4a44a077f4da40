/** `targets.http.base_url`: scheme, host and port; a path is dropped, everything else is refused. */

/** `dropped` is what stood behind host and port, empty when there was nothing. `host` without the brackets of IPv6. */
export type BaseUrl = { readonly baseUrl: string; readonly host: string; readonly dropped: string };

const schemeShape = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//;

/** Reads an address, or says in plain words why it is none; the words never repeat a password. */
export function parseBaseUrl(text: string): BaseUrl | { readonly problem: string } {
  const scheme = schemeShape.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { problem: 'has no scheme (`http://` or `https://`)' };
  if (scheme !== 'http' && scheme !== 'https') return { problem: `has the scheme \`${scheme}\`, not http or https` };
  if (/[\s\\]/.test(text)) return { problem: 'has a space or a backslash in it' };
  const url = URL.parse(text);
  if (!url) return { problem: 'has no usable host and port' };
  if (url.username !== '' || url.password !== '') return { problem: 'has a user name or password in it' };
  const behind = `${url.pathname}${url.search}${url.hash}`;
  return { baseUrl: url.origin, host: bareHost(url.hostname), dropped: behind === '/' ? '' : behind };
}

/** True for names and addresses that mean the machine itself. */
export function isLocalHost(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1' || name === '::') return true;
  return /^127(\.\d+){3}$/.test(name) || name === '0.0.0.0';
}

/** `[::1]` → `::1`. */
export function bareHost(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}
