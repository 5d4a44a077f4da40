/**
 * The chain of a hub. The MAC of each row covers the previous MAC and the attested JSON, so that removed, altered or
 * moved rows are detected. The beginning (after retention) and the end of the chain have a MAC of their own.
 */
import { createHmac, createSecretKey, type Hmac, hkdfSync, type KeyObject } from 'node:crypto';
import type { AuditChainRow } from '../../store/audit/chains.ts';

/** The keys of one hub, derived from the audit key. Key objects are prepared once, which raw bytes are for each digest. */
export type ChainKey = { readonly chain: KeyObject; readonly digest: KeyObject };

/** The MAC before the first row. */
export const initialMac = new Uint8Array(32);

export function deriveChainKey(auditKey: Uint8Array, hubId: string): ChainKey {
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', auditKey, '', `audit ${purpose} ${hubId}`, 32)));
  return { chain: derive('chain'), digest: derive('digest') };
}

/** `previous` is the MAC of the row before. */
export function computeEntryMac({ chain }: ChainKey, previous: Uint8Array, body: string): Uint8Array {
  return createHmac('sha256', chain).update('entry\0').update(previous).update(body).digest();
}

/** The MAC of the beginning and end of a chain, and of what retention has erased. */
export function computeChainSeal({ chain }: ChainKey, row: Omit<AuditChainRow, 'seal'>): Uint8Array {
  const { hub_id, before_seq, before_mac, head_seq, head_mac, erased_seq } = row;
  // Null in a chain of an earlier version, whose seal does not have it.
  const erased = erased_seq === null ? '' : `erased ${erased_seq}\0`;
  const position = `${hub_id}\0${before_seq}\0${head_seq}\0${erased}`;
  return createHmac('sha256', chain).update(`chain\0${position}`).update(before_mac).update(head_mac).digest();
}

export function computeSaltedDigest(key: ChainKey, salt: Uint8Array, text: string): string {
  return startSaltedDigest(key, salt).update(text).digest('base64url');
}

/** The same for a text that comes in pieces. */
export function startSaltedDigest({ digest }: ChainKey, salt: Uint8Array): Hmac {
  return createHmac('sha256', digest).update(salt);
}
