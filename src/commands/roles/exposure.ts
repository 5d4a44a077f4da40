/** Whether credentials would cross a network unencrypted, by the listen address and the public URL of a role. */
import { isLoopbackHost } from '../../addresses/host-address.ts';

/**
 * The address that is exposed without TLS; undefined if none is. A listener that others can reach needs TLS in front of it; a
 * loopback public URL without TLS does not help, because the listener itself is reachable.
 */
export function findExposedAddress(host: string, publicUrl?: URL): string | undefined {
  if (!isLoopbackHost(host) && publicUrl?.protocol !== 'https:') return host;
  if (publicUrl?.protocol === 'http:' && !isLoopbackHost(publicUrl.hostname)) return publicUrl.origin;
  return undefined;
}

/** `host:port` as in a URL. */
export function formatHostAndPort(host: string, port: string | number): string {
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}
