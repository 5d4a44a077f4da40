/**
 * Who a listener answers for. A page of another origin, or a name that was made to point at this machine (DNS
 * rebinding), must reach nothing, whatever credential the browser would add.
 */
import { type VpError, vpError } from '../errors/vp-error.ts';
import { type CrossOrigin, sharedMethods } from './cors.ts';

/** Names of this machine that need no configuration. */
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** What guards look at of a request; requests of node:http have it. */
export type RequestHead = {
  readonly url?: string | undefined;
  readonly headers: { readonly host?: string | undefined; readonly origin?: string | undefined };
  readonly socket: { readonly localPort?: number | undefined; readonly localAddress?: string | undefined };
};

/** Gives the refusal, or undefined to let the request pass. */
export type Guard = (head: RequestHead) => VpError | undefined;

/**
 * Refuses Host names that are neither loopback nor of a public URL nor among `names` (HOST_REFUSED). The port is not
 * compared: it may be mapped. With `names` the address that the connection came in by is one too: it cannot be made to
 * point elsewhere, and who finds containers by looking a name up calls them by address.
 */
export function hostGuard(publicUrls: readonly URL[], names: readonly string[] = []): Guard {
  const known = new Set([...loopbackNames, ...publicUrls.map(({ hostname }) => hostname), ...names]);
  return (head) => {
    const name = hostNameOf(head);
    if (name !== undefined && (known.has(name) || (names.length > 0 && isOwnAddress(name, head)))) return undefined;
    return vpError('HOST_REFUSED', { host: targetHost(head).slice(0, 100) });
  };
}

/** The name a request is meant for, in lower case; undefined where it is none. */
export function hostNameOf(head: RequestHead): string | undefined {
  return /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.exec(targetHost(head))?.[1]?.toLowerCase();
}

function isOwnAddress(name: string, { socket: { localAddress } }: RequestHead): boolean {
  const own = localAddress?.replace(/^::ffff:/, '');
  return own !== undefined && (name === own || name === `[${own}]`);
}

/** The absolute form of a request target stands above the Host header (RFC 9112 section 3.2.2). */
function targetHost({ url = '', headers }: RequestHead): string {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? '';
}

/**
 * Refuses a present Origin that is not ours, the port included, and `null` (ORIGIN_REFUSED). Ours are the public URLs
 * and the loopback names at the port the request came in by. Others pass only to what is shared with them.
 */
export function originGuard(publicUrls: readonly URL[], shared?: CrossOrigin): Guard {
  const configured = new Set(publicUrls.map(({ origin }) => origin));
  return (head) => {
    const { origin } = head.headers;
    if (origin === undefined || configured.has(origin)) return undefined;
    const { localPort } = head.socket;
    const port = localPort === 80 ? '' : `:${localPort}`;
    if (loopbackNames.some((name) => origin === `http://${name}${port}`)) return undefined;
    if (shared && sharedMethods(shared, head) !== undefined) return undefined;
    return vpError('ORIGIN_REFUSED', { origin: origin.slice(0, 100) });
  };
}
