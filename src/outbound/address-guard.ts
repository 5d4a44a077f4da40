/**
 * Classifies addresses, so that an address configured by a person cannot lead into networks that only this machine reaches
 * (server-side request forgery). Checked when the address is configured, and again for each resolved address at the moment of
 * dialling, because DNS may change in between.
 */

import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { parseIPv6Groups } from '../addresses/host-address.ts';

/** `reserved` covers addresses that no server has: unspecified, multicast, documentation, benchmarks, tunnels. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'link_local' | 'metadata' | 'reserved' | 'no_address';

type Network = readonly [address: string, prefix: number];

type Networks = { includes(address: string): boolean };

/** Node's list is made at its first use: 30 networks take milliseconds of a start. */
function createNetworks(family: 'ipv4' | 'ipv6', networks: readonly Network[]): Networks {
  let list: BlockList | undefined;
  const create = (): BlockList => {
    const block = new BlockList();
    for (const [address, prefix] of networks) block.addSubnet(address, prefix, family);
    return block;
  };
  return {
    includes(address) {
      list ??= create();
      return list.check(address, family);
    },
  };
}

/** IANA's registry of special-purpose IPv4 addresses. */
const ipv4Verdicts: readonly (readonly [AddressKind, Networks])[] = [
  ['loopback', createNetworks('ipv4', [['127.0.0.0', 8]])],
  ['link_local', createNetworks('ipv4', [['169.254.0.0', 16]])],
  [
    'metadata',
    createNetworks('ipv4', [
      ['100.100.100.200', 32], // Alibaba Cloud
      ['192.0.0.192', 32], // Oracle Cloud
      ['168.63.129.16', 32], // Azure's host
    ]),
  ],
  [
    'private',
    createNetworks('ipv4', [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['100.64.0.0', 10],
    ]),
  ],
  [
    'reserved',
    createNetworks('ipv4', [
      ['0.0.0.0', 8],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 3],
    ]),
  ],
];

const localNat64 = createNetworks('ipv6', [['64:ff9b:1::', 48]]);

/** The same for IPv6, where only 2000::/3 is public at all. */
const ipv6Verdicts: readonly (readonly [AddressKind, Networks])[] = [
  ['loopback', createNetworks('ipv6', [['::1', 128]])],
  ['link_local', createNetworks('ipv6', [['fe80::', 10]])],
  [
    'metadata',
    createNetworks('ipv6', [
      ['fd00:ec2::', 32], // Amazon
      ['fd20:ce::254', 128], // Google
      ['fd00:42::42', 128], // Scaleway
    ]),
  ],
  [
    'private',
    createNetworks('ipv6', [
      ['fc00::', 7],
      ['fec0::', 10],
      ['64:ff9b:1::', 48],
    ]),
  ],
  [
    'reserved',
    createNetworks('ipv6', [
      ['2001::', 23],
      ['2001:db8::', 32],
      ['3fff::', 20],
    ]),
  ],
  ['public', createNetworks('ipv6', [['2000::', 3]])],
];

/** The IPv4 address that an IPv6 address leads to: mapped, compatible, NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056). */
function embeddedIPv4(address: string): string | undefined {
  const groups = parseIPv6Groups(address);
  const [first = 0, second = 0, third = 0] = groups;
  const zerosUntil = (end: number): boolean => groups.slice(0, end).every((group) => group === 0);
  const [high = 0, low = 0] = first === 0x2002 ? [second, third] : groups.slice(6);
  const isMapped = zerosUntil(5) && groups[5] === 0xffff;
  const isTranslated = zerosUntil(4) && groups[4] === 0xffff && groups[5] === 0;
  const isCompatible = zerosUntil(6) && (groups[6] !== 0 || (groups[7] ?? 0) > 1);
  const isNat64 = first === 0x64 && second === 0xff9b && third <= 1 && groups.slice(3, 6).every((group) => group === 0);
  if (!isMapped && !isTranslated && !isCompatible && !isNat64 && first !== 0x2002) return undefined;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Classifies an IP address in any spelling; `no_address` for anything else. */
export function classifyAddress(ip: string): AddressKind {
  if (isIPv4(ip)) return ipv4Verdicts.find(([, networks]) => networks.includes(ip))?.[0] ?? 'public';
  if (!isIPv6(ip)) return 'no_address';
  const [address = ''] = ip.split('%');
  const embedded = embeddedIPv4(address);
  const kind = embedded === undefined ? 'public' : classifyAddress(embedded);
  // A prefix of NAT64 for local use leads to a private translator, which may reach a public address.
  if (embedded !== undefined && (kind !== 'public' || !localNat64.includes(address))) return kind;
  return ipv6Verdicts.find(([, networks]) => networks.includes(address))?.[0] ?? 'reserved';
}

/**
 * Returns whether a server at such an address may be called. `allowPrivate` is the operator's permission for loopback and private
 * networks; the addresses at which clouds publish machine credentials, link-local or not, are never allowed.
 */
export function isAddressAllowed(verdict: AddressKind, allowPrivate: boolean): boolean {
  return verdict === 'public' || (allowPrivate && (verdict === 'private' || verdict === 'loopback'));
}

/**
 * Classifies the host of a URL; undefined for a name, whose addresses are known when it is dialled. The URL parser has
 * normalised `0x7f.1`, `2130706433` and full-width digits by then.
 */
export function classifyHost({ hostname }: Pick<URL, 'hostname'>): AddressKind | undefined {
  const host = hostname.replace(/\.+$/, '').toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
  const verdict = classifyAddress(host.startsWith('[') ? host.slice(1, -1) : host);
  return verdict === 'no_address' ? undefined : verdict;
}

export type HostClassifier = typeof classifyHost;

const maxClassifiedHosts = 1000;

/** Classifies hosts that are called again and again once: the text of a host says everything. */
export function createHostClassifier(): HostClassifier {
  const kinds = new Map<string, AddressKind | undefined>();
  return (url) => {
    const { hostname } = url;
    if (kinds.has(hostname)) return kinds.get(hostname);
    const kind = classifyHost(url);
    if (kinds.size >= maxClassifiedHosts) kinds.clear();
    kinds.set(hostname, kind);
    return kind;
  };
}
