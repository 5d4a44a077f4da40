/** Finds out whether the audit is as it was written: every chain, from where retention left it to its sealed end. */
import { allChains, type ChainRow, chainOf, checkpointOf } from '../../store/audit/chains.ts';
import { type EntryRow, entriesAfter, macAt } from '../../store/audit/entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { ChainKeys } from './append.ts';
import { keysOf, readAttested } from './attested.ts';
import { type ChainKey, chainSeal, entryMac, saltedDigest } from './chain.ts';

/** What is wrong with a chain. */
export type AuditFault = {
  readonly kind: 'altered' | 'removed' | 'reordered' | 'truncated' | 'seal';
  /** Of the entry; undefined where it is the chain itself. */
  readonly seq: number | undefined;
  readonly problem: string;
};

/** What came of one hub's chain. */
export type ChainVerdict = {
  readonly hubId: string;
  /** The slug that the newest entry names. */
  readonly hub: string | undefined;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly entries: number;
  /** Mac of the last entry: whoever wrote it down can tell later that nothing before it was exchanged. */
  readonly head: string;
  /** The first ones. */
  readonly faults: readonly AuditFault[];
};

/** Reads in a transaction of its own; each call gets what is there then. */
export type ReadAudit = <T>(operation: (sql: Sql) => T) => T;

const together = 2000;
const mostFaults = 20;

function isSame(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && Buffer.compare(a, b) === 0;
}

/** Verifies all chains; `onProgress` is told how many entries were looked at. */
export function* verifyChains(read: ReadAudit, keys: ChainKeys, onProgress: (entries: number) => void) {
  for (const chain of read(allChains)) yield verifyChain(read, chain, keys(chain.hub_id), onProgress);
}

type Walk = { seq: number; mac: Uint8Array; entries: number; hub: string | undefined };

/** Each page is read together with the chain as it is then: others may write and delete meanwhile. */
function verifyChain(
  read: ReadAudit,
  start: ChainRow,
  key: ChainKey,
  onProgress: (entries: number) => void,
): ChainVerdict {
  const faults: AuditFault[] = [...judgeSeal(start, key)];
  const walk: Walk = { seq: start.before_seq, mac: start.before_mac, entries: 0, hub: undefined };
  let chain = start;
  for (let rows: EntryRow[] | undefined; rows === undefined || rows.length === together; ) {
    const page = read((sql) => ({
      chain: chainOf(sql, start.hub_id) ?? chain,
      rows: entriesAfter(sql, chain.hub, walk.seq, together),
    }));
    if (page.chain.before_seq > walk.seq)
      Object.assign(walk, { seq: page.chain.before_seq, mac: page.chain.before_mac });
    ({ chain, rows } = page);
    for (const row of rows) faults.push(...judgedRow(row, walk, chain, key));
    faults.length = Math.min(faults.length, mostFaults);
    onProgress(rows.length);
  }
  faults.push(...read((sql) => [...judgeEnd(sql, chain, walk)]));
  const head = Buffer.from(chain.head_mac).toString('hex');
  const { entries, hub } = walk;
  return { hubId: chain.hub_id, hub, firstSeq: start.before_seq + 1, lastSeq: chain.head_seq, entries, head, faults };
}

function* judgeSeal(chain: ChainRow, key: ChainKey): Generator<AuditFault> {
  if (!isSame(chainSeal(key, chain), chain.seal))
    yield { kind: 'seal', seq: undefined, problem: 'where the chain begins or ends was altered' };
}

/** The faults of a row; the walk stands on it then. */
function judgedRow(row: EntryRow, walk: Walk, chain: ChainRow, key: ChainKey): AuditFault[] {
  if (row.seq <= walk.seq) return [];
  const faults = row.seq > chain.head_seq ? [added(row)] : [...judge(row, walk, key)];
  walk.hub = readAttested(row.body)?.hub ?? walk.hub;
  walk.seq = row.seq;
  walk.mac = row.mac;
  walk.entries += 1;
  return faults;
}

function added({ seq }: EntryRow): AuditFault {
  return { kind: 'altered', seq, problem: 'it stands behind the end of the chain' };
}

function* judge(row: EntryRow, { seq, mac }: Walk, key: ChainKey): Generator<AuditFault> {
  const isNext = row.seq === seq + 1;
  if (!isNext) {
    const gone = row.seq === seq + 2 ? `entry ${seq + 1} is` : `entries ${seq + 1} to ${row.seq - 1} are`;
    yield { kind: 'removed', seq: seq + 1, problem: `${gone} missing` };
  }
  const call = readAttested(row.body);
  if (call && call.seq !== row.seq) {
    yield { kind: 'reordered', seq: row.seq, problem: `what stands here was written as entry ${call.seq}` };
    return;
  }
  // Behind a gap the mac before is not known, so the mac of this row says nothing.
  if (!call || (isNext && !isSame(entryMac(key, mac, row.body), row.mac))) {
    yield { kind: 'altered', seq: row.seq, problem: 'it is not what was written, or another stood before it' };
    return;
  }
  const columns: Readonly<Record<string, unknown>> = row;
  const wrong = Object.entries(keysOf(call)).find(([name, value]) => value !== columns[name]);
  if (wrong)
    yield { kind: 'altered', seq: row.seq, problem: `its column ${wrong[0]} does not say what the entry says` };
  if (row.arguments !== null && !areKept(row, key, call.kept_digest))
    yield { kind: 'altered', seq: row.seq, problem: 'the arguments that are kept are not those that were written' };
}

function areKept({ salt, arguments: text }: EntryRow, key: ChainKey, digest: string | null): boolean {
  return salt !== null && text !== null && saltedDigest(key, salt, text) === digest;
}

function* judgeEnd(sql: Sql, chain: ChainRow, { seq, mac }: Walk): Generator<AuditFault> {
  const { head_seq, head_mac, before_seq, before_mac, hub } = chain;
  if (seq < head_seq) {
    const problem = `the chain ends with entry ${head_seq}, the last one that is there is ${seq}`;
    yield { kind: 'truncated', seq: seq + 1, problem };
    return;
  }
  if (seq === head_seq && !isSame(mac, head_mac))
    yield { kind: 'altered', seq, problem: 'the last entry is not the one that the chain ends with' };
  const checkpoint = checkpointOf(sql, hub);
  if (!checkpoint || checkpoint.seq < before_seq) return;
  const safe = checkpoint.seq === before_seq ? before_mac : macAt(sql, hub, checkpoint.seq);
  if (safe === undefined)
    yield { kind: 'truncated', seq: checkpoint.seq, problem: 'this entry was safe on the disk once' };
  else if (!isSame(safe, checkpoint.mac))
    yield { kind: 'altered', seq: checkpoint.seq, problem: 'it is not the one that was safe on the disk once' };
}
