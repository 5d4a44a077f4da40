import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Where a request comes from. A proxy that is believed appends the address it was called from to `X-Forwarded-For`, so the
 * last one is true; the others are what the caller says of itself.
 */
export function peerAddress(
  {
    socket,
    headers,
  }: Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } },
  proxies: readonly string[] = [],
): string {
  const peer = socket.remoteAddress ?? 'local';
  if (!proxies.includes(peer)) return peer;
  const forwarded = headers['x-forwarded-for'];
  const last = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? peer : last;
}
