/** What is read of a request's head before its handler runs: its id, its caller's address, and what guards check. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Random } from '../../environment/random.ts';

/** The members of a node:http request that guards check. */
export type RequestHead = {
  readonly url?: string | undefined;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders?: readonly string[];
  readonly headers: { readonly host?: string | undefined; readonly origin?: string | undefined };
  readonly socket: { readonly localPort?: number | undefined; readonly localAddress?: string | undefined };
};

/** Both ends of the connection at which a request arrived. */
export type ConnectionAddresses = {
  readonly localPort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
};

/**
 * The id of each request: the caller's `X-Request-Id` if it is harmless, else an id that is unique among the processes of
 * a log (random prefix and a counter).
 */
export function createRequestIds(
  random: Pick<Random, 'token'>,
): (requestedId: string | string[] | undefined) => string {
  const prefix = random.token(6);
  let count = 0;
  return (requestedId) => {
    if (typeof requestedId === 'string' && /^[\w.:-]{1,64}$/.test(requestedId)) return requestedId;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/**
 * The address of the caller. A trusted proxy appends the address of its caller to `X-Forwarded-For`, so only the last one
 * is trusted; the others come from the caller itself.
 */
export function getPeerAddress(
  {
    socket,
    headers,
  }: Pick<IncomingMessage, 'headers'> & { readonly socket: Pick<ConnectionAddresses, 'remoteAddress'> },
  trustedProxies: readonly string[] = [],
): string {
  const peer = socket.remoteAddress ?? 'local';
  if (!trustedProxies.includes(peer)) return peer;
  const forwarded = headers['x-forwarded-for'];
  const lastAddress =
    (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').at(-1)?.trim() ?? '';
  return isIP(lastAddress) === 0 ? peer : lastAddress;
}
