/** Deletes the oldest rows in slices; each chain records the MAC after which it now begins. */
import { type AuditChainRow, listAuditChains, saveAuditChain } from '../../store/audit/chains.ts';
import {
  deleteAuditEntriesUpTo,
  eraseAuditArguments,
  findAuditEntryMac,
  findLargestAuditChain,
  findLastAuditEntryWithin,
  findLastErasedAuditEntry,
  findLastExpiredAuditEntry,
  findSplitAuditCall,
} from '../../store/audit/entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { ChainKeys } from './append-calls.ts';
import { computeChainSeal } from './chain.ts';

/** Maximum rows per slice; takes a few milliseconds. */
const sliceSize = 1000;

type ChainPoint = { readonly seq: number; readonly mac: Uint8Array };

/** The last row up to `last` before which every call has its outcome; undefined if there is none. */
function findEndOfCalls(sql: Sql, { hub, before_seq: beforeSeq }: AuditChainRow, last: ChainPoint) {
  let { seq } = last;
  for (;;) {
    const split = findSplitAuditCall(sql, hub, seq);
    if (split === undefined) break;
    seq = split - 1;
    if (seq <= beforeSeq) return undefined;
  }
  const mac = seq === last.seq ? last.mac : findAuditEntryMac(sql, hub, seq);
  return mac && { seq, mac };
}

function truncateChain(sql: Sql, chain: AuditChainRow, last: ChainPoint, keys: ChainKeys): number {
  const row = { ...chain, before_seq: last.seq, before_mac: last.mac };
  saveAuditChain(sql, { ...row, seal: computeChainSeal(keys(row.hub_id), row) });
  return deleteAuditEntriesUpTo(sql, row.hub, last.seq);
}

/** Deletes the oldest rows of each chain that are all older than `beforeMs`, and returns their number. A call is deleted whole. */
export function deleteExpiredEntries(sql: Sql, beforeMs: number, keys: ChainKeys): number {
  let deleted = 0;
  for (const chain of listAuditChains(sql)) {
    const expired = findLastExpiredAuditEntry(sql, chain.hub, chain.before_seq, beforeMs, sliceSize);
    const last = expired && findEndOfCalls(sql, chain, expired);
    if (last) deleted += truncateChain(sql, chain, last, keys);
  }
  return deleted;
}

/** Deletes the oldest rows of the largest hub and returns their number. */
export function deleteOldestEntries(sql: Sql, keys: ChainKeys): number {
  const hub = findLargestAuditChain(sql);
  const chain = listAuditChains(sql).find((row) => row.hub === hub);
  const last = chain && findLastAuditEntryWithin(sql, chain.hub, chain.before_seq, sliceSize);
  if (!chain || !last) return 0;
  // The limit holds also where a call has been open for longer than all of these rows.
  return truncateChain(sql, chain, findEndOfCalls(sql, chain, last) ?? last, keys);
}

/** Erases old stored arguments, which each chain notes under its seal, and returns the number of calls. */
export function eraseExpiredArguments(sql: Sql, beforeMs: number, keys: ChainKeys): number {
  const { erased, last } = eraseAuditArguments(sql, beforeMs, sliceSize);
  if (last.length === 0) return erased;
  const chains = new Map(listAuditChains(sql).map((chain) => [chain.hub, chain]));
  for (const { hub, seq } of last) {
    const chain = chains.get(hub);
    if (chain) noteErasure(sql, chain, seq, keys);
  }
  return erased;
}

function noteErasure(sql: Sql, chain: AuditChainRow, seq: number, keys: ChainKeys): void {
  const row = { ...chain, erased_seq: Math.max(seq, chain.erased_seq ?? 0) };
  saveAuditChain(sql, { ...row, seal: computeChainSeal(keys(row.hub_id), row) });
}

/** Chains of an earlier version say nothing about erased arguments: what is missing there now counts as erased. */
export function recordEarlierErasures(sql: Sql, keys: ChainKeys): void {
  for (const chain of listAuditChains(sql)) {
    if (chain.erased_seq !== null) continue;
    // A seal that is wrong stays wrong.
    if (Buffer.compare(computeChainSeal(keys(chain.hub_id), chain), chain.seal) !== 0) continue;
    noteErasure(sql, chain, findLastErasedAuditEntry(sql, chain.hub) ?? 0, keys);
  }
}
