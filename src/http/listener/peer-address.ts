import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The address of the caller. A trusted proxy appends the address of its caller to `X-Forwarded-For`, so only the last one
 * is trusted; the others come from the caller itself.
 */
export function getPeerAddress(
  {
    socket,
    headers,
  }: Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } },
  trustedProxies: readonly string[] = [],
): string {
  const peer = socket.remoteAddress ?? 'local';
  if (!trustedProxies.includes(peer)) return peer;
  const forwarded = headers['x-forwarded-for'];
  const lastAddress =
    (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').at(-1)?.trim() ?? '';
  return isIP(lastAddress) === 0 ? peer : lastAddress;
}
