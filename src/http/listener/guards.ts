/**
 * Checks of Host and Origin. A page of another origin, or a name that was made to point at this machine (DNS rebinding),
 * must be refused, whatever credential the browser adds.
 */

import { loopbackNames } from '../../addresses/host-address.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { type CrossOriginPolicy, getCrossOriginMethods } from './cors.ts';
import type { RequestHead } from './request-head.ts';

/** Returns the refusal, or undefined to accept the request. */
export type RequestGuard = (head: RequestHead) => VpError | undefined;

/**
 * Refuses Host names that are neither loopback nor of a public URL nor in `names` (HOST_REFUSED). The port is not compared:
 * it may be mapped. With `names`, the local address of the connection is accepted too: it cannot be rebound, and clients
 * that resolve container names call them by address.
 */
export function createHostGuard(publicUrls: readonly URL[], names: readonly string[] = []): RequestGuard {
  const knownNames = new Set([...loopbackNames, ...publicUrls.map(({ hostname }) => hostname), ...names]);
  /** Texts of the Host header that name one of them; clients send the same one again and again. */
  const acceptedHosts = new Set<string>();
  return (head) => {
    // Whichever one of two is checked, something before or behind may read the other (RFC 9112 section 3.2).
    if (countHostHeaders(head) > 1)
      return vpError('REQUEST_INVALID', { where: 'the Host header', problem: 'is sent more than once' });
    const host = head.url?.startsWith('/') ? head.headers.host : undefined;
    if (host !== undefined && acceptedHosts.has(host)) return undefined;
    const name = parseHostName(head);
    if (name !== undefined && knownNames.has(name)) {
      if (host !== undefined && acceptedHosts.size < maxAcceptedHosts) acceptedHosts.add(host);
      return undefined;
    }
    if (name !== undefined && names.length > 0 && isOwnAddress(name, head)) return undefined;
    return vpError('HOST_REFUSED', { host: getTargetHost(head).slice(0, 100) });
  };
}

/** A known name in any case with any port. */
const maxAcceptedHosts = 64;

function countHostHeaders({ rawHeaders = [] }: RequestHead): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** The host name that a request is for, in lower case; undefined when malformed. */
export function parseHostName(head: RequestHead): string | undefined {
  return /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.exec(getTargetHost(head))?.[1]?.toLowerCase();
}

function isOwnAddress(name: string, { socket: { localAddress } }: RequestHead): boolean {
  const ownAddress = localAddress?.replace(/^::ffff:/, '');
  return ownAddress !== undefined && (name === ownAddress || name === `[${ownAddress}]`);
}

/** The absolute form of a request target takes precedence over the Host header (RFC 9112 section 3.2.2). */
function getTargetHost({ url = '', headers }: RequestHead): string {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? '';
}

/**
 * Refuses an Origin that is not ours, port included, and `null` (ORIGIN_REFUSED). Ours are the public URLs, and the loopback
 * names at the local port. Origins of the cross-origin policy may only call what it shares. No Origin is accepted.
 */
export function createOriginGuard(publicUrls: readonly URL[], crossOrigin?: CrossOriginPolicy): RequestGuard {
  const configured = new Set(publicUrls.map(({ origin }) => origin));
  return (head) => {
    const { origin } = head.headers;
    if (origin === undefined || configured.has(origin)) return undefined;
    const { localPort } = head.socket;
    const port = localPort === 80 ? '' : `:${localPort}`;
    if (loopbackNames.some((name) => origin === `http://${name}${port}`)) return undefined;
    if (crossOrigin && getCrossOriginMethods(crossOrigin, head) !== undefined) return undefined;
    return vpError('ORIGIN_REFUSED', { origin: origin.slice(0, 100) });
  };
}
