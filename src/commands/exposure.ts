/** Whether credentials would cross a network in the clear: what a role listens on, and what others reach it by. */

/** True for addresses that nobody outside of this machine reaches; `host` may be in the brackets of a URL. */
export function isOwnAddress(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare);
}

/**
 * The address that is open in the clear; undefined when none is. A listener others reach needs TLS before it, and a
 * public URL without TLS is no better for naming this machine: the listener is what is reached.
 */
export function exposedAddress(host: string, publicUrl?: URL): string | undefined {
  if (!isOwnAddress(host) && publicUrl?.protocol !== 'https:') return host;
  if (publicUrl?.protocol === 'http:' && !isOwnAddress(publicUrl.hostname)) return publicUrl.origin;
  return undefined;
}

/** `host:port` as it stands in a URL. */
export function hostAndPort(host: string, port: string | number): string {
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}
