import { isIPv6 } from 'node:net';
import { parseIPv6Groups } from '../addresses/host-address.ts';

/** Prefixes of IPv6: a subscriber has at least a /64 of addresses, and often a /56 of such networks. */
export type NetworkPrefix = 56 | 64;

/**
 * The network that an address is counted by: an IPv4 address itself, also in its IPv6 notation (RFC 4291, section 2.5.5.2), and
 * an IPv6 address without its last bits. Other texts are returned as they are.
 */
export function toNetwork(address: string, prefix: NetworkPrefix = 64): string {
  const [unscoped = ''] = address.split('%');
  if (!isIPv6(unscoped)) return address;
  const groups = parseIPv6Groups(unscoped);
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 6).join() === '0,0,0,0,0,65535') return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const network = groups.slice(0, 4);
  if (prefix === 56) network[3] = (network[3] ?? 0) & 0xff00;
  return `${network.map((group) => group.toString(16)).join(':')}::/${prefix}`;
}
