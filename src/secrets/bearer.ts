/** Bearer secrets that we mint: a fixed prefix, then 32 random bytes; stored as a keyed hash only. */
import { createHmac } from 'node:crypto';
import type { Random } from '../environment/random.ts';

/** What each prefix stands for; secret scanners find them by it. */
export const bearerPrefix = {
  owner: 'vpo_',
  scrape: 'vps_',
  executor: 'vpe_',
  api_key: 'vpk_',
  machine: 'vpm_',
} as const;
/** A kind of bearer secret. */
export type BearerKind = keyof typeof bearerPrefix;

const kinds: readonly BearerKind[] = ['owner', 'scrape', 'executor', 'api_key', 'machine'];

/** A new secret of `kind`, 256 bits. */
export function mintBearer(kind: BearerKind, random: Random): string {
  return bearerPrefix[kind] + random.token(32);
}

/** The kind that a presented secret claims to be; undefined for anything that is none of ours. */
export function bearerKindOf(secret: string): BearerKind | undefined {
  const shape = /^vp[osekm]_[A-Za-z0-9_-]{43}$/;
  if (!shape.test(secret)) return undefined;
  for (const kind of kinds) if (secret.startsWith(bearerPrefix[kind])) return kind;
  return undefined;
}

/** HMAC-SHA256 of a secret under the store's token-hash key, hex; what is stored and looked up. */
export function bearerHash(secret: string, hashKey: Uint8Array): string {
  return createHmac('sha256', hashKey).update(secret).digest('hex');
}
