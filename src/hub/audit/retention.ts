/** Deletes the oldest rows of the audit, a slice at a time; each chain remembers the mac behind which it now begins. */
import { allChains, type ChainRow, putChain } from '../../store/audit/chains.ts';
import { deleteUpTo, eraseArguments, largestChain, lastOlderThan } from '../../store/audit/entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { ChainKeys } from './append.ts';
import { chainSeal } from './chain.ts';

/** Rows that one slice deletes at most: a few milliseconds. */
const slice = 1000;

function shortened(sql: Sql, chain: ChainRow, last: { seq: number; mac: Uint8Array }, keys: ChainKeys): number {
  const row = { ...chain, before_seq: last.seq, before_mac: last.mac };
  putChain(sql, { ...row, seal: chainSeal(keys(row.hub_id), row) });
  return deleteUpTo(sql, row.hub, last.seq);
}

/** Deletes rows older than `beforeMs`; gives how many. */
export function deleteOld(sql: Sql, beforeMs: number, keys: ChainKeys): number {
  let deleted = 0;
  for (const chain of allChains(sql)) {
    const last = lastOlderThan(sql, chain.hub, chain.before_seq, beforeMs, slice);
    if (last) deleted += shortened(sql, chain, last, keys);
  }
  return deleted;
}

/** Deletes the oldest rows of the hub that has the most; gives how many. */
export function deleteOldest(sql: Sql, keys: ChainKeys): number {
  const hub = largestChain(sql);
  const chain = allChains(sql).find((row) => row.hub === hub);
  const last = chain && lastOlderThan(sql, chain.hub, chain.before_seq, Number.MAX_SAFE_INTEGER, slice);
  if (!chain || !last) return 0;
  return shortened(sql, chain, last, keys);
}

/** Erases what is kept of old arguments; gives of how many calls. */
export function eraseOld(sql: Sql, beforeMs: number): number {
  return eraseArguments(sql, beforeMs, slice);
}
