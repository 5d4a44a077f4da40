/** Host names and IP addresses as they are written in URLs, headers and flags. */

/** The names at which a listener of this machine is reached, as in the host of a URL. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** True for `localhost` and every loopback address; `host` may be in the brackets of a URL. */
export function isLoopbackHost(host: string): boolean {
  const name = stripIPv6Brackets(host).toLowerCase();
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** `[::1]` → `::1`. */
export function stripIPv6Brackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** The eight groups of a valid IPv6 address without a zone. The URL parser writes every notation of an address in one way. */
export function parseIPv6Groups(address: string): number[] {
  const canonical = URL.parse(`http://[${address}]/`)?.hostname ?? '';
  const [head = '', tail = ''] = stripIPv6Brackets(canonical).split('::');
  const front = head.split(':').filter(Boolean);
  const back = tail.split(':').filter(Boolean);
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...zeros, ...back].map((group) => Number.parseInt(group, 16));
}
