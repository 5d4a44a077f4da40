/** Deletes the oldest rows in slices; each chain records the MAC after which it now begins. */
import { type AuditChainRow, listAuditChains, saveAuditChain } from '../../store/audit/chains.ts';
import {
  deleteAuditEntriesUpTo,
  eraseAuditArguments,
  findLargestAuditChain,
  findLastAuditEntryBefore,
} from '../../store/audit/entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { ChainKeys } from './append-calls.ts';
import { computeChainSeal } from './chain.ts';

/** Maximum rows per slice; takes a few milliseconds. */
const sliceSize = 1000;

function truncateChain(
  sql: Sql,
  chain: AuditChainRow,
  last: { seq: number; mac: Uint8Array },
  keys: ChainKeys,
): number {
  const row = { ...chain, before_seq: last.seq, before_mac: last.mac };
  saveAuditChain(sql, { ...row, seal: computeChainSeal(keys(row.hub_id), row) });
  return deleteAuditEntriesUpTo(sql, row.hub, last.seq);
}

/** Deletes rows older than `beforeMs` and returns their number. */
export function deleteExpired(sql: Sql, beforeMs: number, keys: ChainKeys): number {
  let deleted = 0;
  for (const chain of listAuditChains(sql)) {
    const last = findLastAuditEntryBefore(sql, chain.hub, chain.before_seq, beforeMs, sliceSize);
    if (last) deleted += truncateChain(sql, chain, last, keys);
  }
  return deleted;
}

/** Deletes the oldest rows of the largest hub and returns their number. */
export function deleteOldest(sql: Sql, keys: ChainKeys): number {
  const hub = findLargestAuditChain(sql);
  const chain = listAuditChains(sql).find((row) => row.hub === hub);
  const last = chain && findLastAuditEntryBefore(sql, chain.hub, chain.before_seq, Number.MAX_SAFE_INTEGER, sliceSize);
  if (!chain || !last) return 0;
  return truncateChain(sql, chain, last, keys);
}

/** Erases old stored arguments and returns the number of calls. */
export function eraseExpiredArguments(sql: Sql, beforeMs: number): number {
  return eraseAuditArguments(sql, beforeMs, sliceSize);
}
