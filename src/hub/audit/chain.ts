/**
 * The chain of a hub: each row's mac covers the mac before it and all that is attested of the row, so that a row that was
 * removed, altered or moved shows. The chain's beginning (after retention) and end are sealed by a mac of their own.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import type { ChainRow } from '../../store/audit/chains.ts';

/** The keys of one hub, made from the audit's own. */
export type ChainKey = { readonly chain: Uint8Array; readonly digest: Uint8Array };

/** The mac before the first row. */
export const noMac = new Uint8Array(32);

/** Keys of a hub. */
export function chainKeyOf(auditKey: Uint8Array, hubId: string): ChainKey {
  const derived = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', auditKey, '', `audit ${purpose} ${hubId}`, 32));
  return { chain: derived('chain'), digest: derived('digest') };
}

/** The mac of a row behind the one with `previous`. */
export function entryMac({ chain }: ChainKey, previous: Uint8Array, body: string): Uint8Array {
  return createHmac('sha256', chain).update('entry\0').update(previous).update(body).digest();
}

/** The mac of where a chain begins and ends. */
export function chainSeal({ chain }: ChainKey, row: Omit<ChainRow, 'seal'>): Uint8Array {
  const { hub_id, before_seq, before_mac, head_seq, head_mac } = row;
  const places = `${hub_id}\0${before_seq}\0${head_seq}\0`;
  return createHmac('sha256', chain).update('chain\0').update(places).update(before_mac).update(head_mac).digest();
}

/** A salted digest of a text, as it stands in a row. */
export function saltedDigest({ digest }: ChainKey, salt: Uint8Array, text: string): string {
  return createHmac('sha256', digest).update(salt).update(text).digest('base64url');
}
