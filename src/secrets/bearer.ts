/** Bearer secrets of our own: a fixed prefix, then 32 random bytes. Only a keyed hash is stored. */
import { createHmac } from 'node:crypto';
import type { Random } from '../environment/random.ts';

/** Secret scanners recognize keys by their prefix. */
export const bearerPrefixes = {
  owner: 'vpo_',
  scrape: 'vps_',
  executor: 'vpe_',
  api_key: 'vpk_',
  machine: 'vpm_',
} as const;
export type BearerKind = keyof typeof bearerPrefixes;

const kinds: readonly BearerKind[] = ['owner', 'scrape', 'executor', 'api_key', 'machine'];

/** A new secret of `kind`, 256 bits. */
export function mintBearer(kind: BearerKind, random: Pick<Random, 'token'>): string {
  return bearerPrefixes[kind] + random.token(32);
}

/** The kind that a presented secret claims to be; undefined when it has none of our formats. */
export function parseBearerKind(secret: string): BearerKind | undefined {
  const pattern = /^vp[osekm]_[A-Za-z0-9_-]{43}$/;
  if (!pattern.test(secret)) return undefined;
  for (const kind of kinds) if (secret.startsWith(bearerPrefixes[kind])) return kind;
  return undefined;
}

/** HMAC-SHA256 of a secret under the store's token-hash key, hexadecimal. */
export function hashBearer(secret: string, hashKey: Uint8Array): string {
  return createHmac('sha256', hashKey).update(secret).digest('hex');
}
