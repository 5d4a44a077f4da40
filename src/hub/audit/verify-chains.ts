/** Verifies the audit: every chain, from its beginning after retention to its sealed end. */
import {
  type AuditChainRow,
  findAuditChain,
  findAuditCheckpoint,
  listAuditChains,
  listOrphanedHubs,
} from '../../store/audit/chains.ts';
import {
  type AuditEntryRow,
  countAuditEntriesUpTo,
  findAuditEntryMac,
  listAuditEntriesAfter,
} from '../../store/audit/entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { ChainKeys } from './append-calls.ts';
import { parseAttested, toEntryKeys } from './attested-call.ts';
import { type ChainKey, computeChainSeal, computeEntryMac, computeSaltedDigest } from './chain.ts';

export type AuditFault = {
  readonly kind:
    | 'altered'
    | 'removed'
    | 'erased'
    | 'reordered'
    | 'truncated'
    | 'seal'
    | 'missing'
    | 'older'
    | 'orphaned'
    | 'schema';
  /** Undefined for a fault of the chain itself. */
  readonly seq: number | undefined;
  readonly problem: string;
};

export type ChainVerdict = {
  readonly hubId: string;
  /** The slug in the newest entry. */
  readonly hub: string | undefined;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly entries: number;
  /** Calls that were started and have no outcome, and those whose outcome stays unknown. */
  readonly openCalls: number;
  readonly unknownCalls: number;
  /** MAC of the last entry. Whoever noted it can prove later that no earlier entry was replaced. */
  readonly head: string;
  /** At most the first 20. */
  readonly faults: readonly AuditFault[];
};

/** Runs the operation in its own read transaction, on either engine. */
export type AuditReadTransaction = <T>(operation: (sql: Sql) => T) => Promise<T>;

const pageSize = 2000;
const maxFaults = 20;

function isEqual(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && Buffer.compare(a, b) === 0;
}

/** Verifies all chains; `onProgress` gets the number of entries read. */
export async function verifyChains(
  read: AuditReadTransaction,
  keys: ChainKeys,
  onProgress: (entries: number) => void,
): Promise<ChainVerdict[]> {
  const verdicts: ChainVerdict[] = [];
  for (const chain of await read(listAuditChains))
    verdicts.push(await verifyChain(read, chain, keys(chain.hub_id), onProgress));
  const problem = 'there are entries without a chain: the chain was removed';
  for (const hub of await read(listOrphanedHubs))
    verdicts.push(createFaultVerdict(`hub number ${hub}`, undefined, { kind: 'orphaned', seq: undefined, problem }));
  return verdicts;
}

/** The verdict on a hub without a chain to verify. */
export function createFaultVerdict(hubId: string, hub: string | undefined, fault: AuditFault): ChainVerdict {
  const noEntries = { firstSeq: 0, lastSeq: 0, entries: 0, openCalls: 0, unknownCalls: 0, head: '' };
  return { hubId, hub, ...noEntries, faults: [fault] };
}

type ChainPosition = {
  seq: number;
  mac: Uint8Array;
  entries: number;
  hub: string | undefined;
  readonly openCalls: Set<number>;
  unknownCalls: number;
};

/** Each page is read together with the current chain row, because others may write and delete meanwhile. */
async function verifyChain(
  read: AuditReadTransaction,
  start: AuditChainRow,
  key: ChainKey,
  onProgress: (entries: number) => void,
): Promise<ChainVerdict> {
  const faults: AuditFault[] = [...checkSeal(start, key)];
  const position: ChainPosition = {
    ...{ seq: start.before_seq, mac: start.before_mac, entries: 0, hub: undefined },
    ...{ openCalls: new Set(), unknownCalls: 0 },
  };
  let chain = start;
  for (let rows: AuditEntryRow[] | undefined; rows === undefined || rows.length === pageSize; ) {
    // Values of this pass only: the operation may run again.
    const { hub_id: hubId } = start;
    const current = chain;
    const { seq } = position;
    const page = await read((sql) => {
      const chain = findAuditChain(sql, hubId) ?? current;
      return { chain, rows: listAuditEntriesAfter(sql, chain.hub, seq, pageSize) };
    });
    if (page.chain.before_seq > position.seq)
      Object.assign(position, { seq: page.chain.before_seq, mac: page.chain.before_mac });
    ({ chain, rows } = page);
    for (const row of rows) faults.push(...checkRow(row, position, chain, key));
    faults.length = Math.min(faults.length, maxFaults);
    onProgress(rows.length);
  }
  faults.push(...(await read((sql) => [...checkEnd(sql, chain, position), ...checkCount(sql, chain)])));
  const head = Buffer.from(chain.head_mac).toString('hex');
  const { entries, hub, openCalls, unknownCalls } = position;
  const counts = { entries, openCalls: openCalls.size, unknownCalls };
  return { hubId: chain.hub_id, hub, firstSeq: start.before_seq + 1, lastSeq: chain.head_seq, ...counts, head, faults };
}

function* checkSeal(chain: AuditChainRow, key: ChainKey): Generator<AuditFault> {
  if (!isEqual(computeChainSeal(key, chain), chain.seal))
    yield { kind: 'seal', seq: undefined, problem: 'the beginning or end of the chain was altered' };
}

/** Returns the faults of a row and advances the position. */
function checkRow(row: AuditEntryRow, position: ChainPosition, chain: AuditChainRow, key: ChainKey): AuditFault[] {
  if (row.seq <= position.seq) return [];
  const faults = row.seq > chain.head_seq ? [createAddedFault(row)] : [...checkEntry(row, position, chain, key)];
  const call = parseAttested(row.body);
  position.hub = call?.hub ?? position.hub;
  if (call?.outcome === 'started') position.openCalls.add(row.seq);
  if (call?.outcome === 'unknown') position.unknownCalls += 1;
  if (call?.intent_seq !== undefined) position.openCalls.delete(call.intent_seq);
  position.seq = row.seq;
  position.mac = row.mac;
  position.entries += 1;
  return faults;
}

function createAddedFault({ seq }: AuditEntryRow): AuditFault {
  return { kind: 'altered', seq, problem: 'it comes after the end of the chain' };
}

function* checkEntry(
  row: AuditEntryRow,
  { seq, mac }: ChainPosition,
  { erased_seq: erasedSeq }: AuditChainRow,
  key: ChainKey,
): Generator<AuditFault> {
  const isNext = row.seq === seq + 1;
  if (!isNext) {
    const missing = row.seq === seq + 2 ? `entry ${seq + 1} is` : `entries ${seq + 1} to ${row.seq - 1} are`;
    yield { kind: 'removed', seq: seq + 1, problem: `${missing} missing` };
  }
  const call = parseAttested(row.body);
  if (call && call.seq !== row.seq) {
    yield { kind: 'reordered', seq: row.seq, problem: `this row was written as entry ${call.seq}` };
    return;
  }
  // After a gap the previous MAC is unknown, so the MAC of this row cannot be checked.
  if (!call || (isNext && !isEqual(computeEntryMac(key, mac, row.body), row.mac))) {
    yield { kind: 'altered', seq: row.seq, problem: 'it was changed, or the entry before it was' };
    return;
  }
  const columns: Readonly<Record<string, unknown>> = row;
  const mismatch = Object.entries(toEntryKeys(call)).find(([name, value]) => value !== columns[name]);
  if (mismatch) yield { kind: 'altered', seq: row.seq, problem: `its column ${mismatch[0]} does not match the entry` };
  if (row.arguments !== null && !areArgumentsUnchanged(row, key, call.kept_digest))
    yield { kind: 'altered', seq: row.seq, problem: 'the stored arguments were changed' };
  // A chain of an earlier version does not say what retention has erased.
  const isMissing = row.salt === null || (row.arguments === null && call.kept_digest !== null);
  if (isMissing && erasedSeq !== null && row.seq > erasedSeq)
    yield { kind: 'erased', seq: row.seq, problem: 'its arguments were removed, and not by retention' };
}

function areArgumentsUnchanged(
  { salt, arguments: text }: AuditEntryRow,
  key: ChainKey,
  digest: string | null,
): boolean {
  return salt !== null && text !== null && computeSaltedDigest(key, salt, text) === digest;
}

/** Rows before the beginning, and rows that stand twice, are in no chain, and searches find them. */
function* checkCount(sql: Sql, start: AuditChainRow): Generator<AuditFault> {
  const { hub, before_seq: beforeSeq, head_seq: headSeq } = findAuditChain(sql, start.hub_id) ?? start;
  const entries = countAuditEntriesUpTo(sql, hub, headSeq);
  if (entries <= headSeq - beforeSeq) return;
  const problem = `it has ${headSeq - beforeSeq} entries, and ${entries} are stored: others were added`;
  yield { kind: 'altered', seq: undefined, problem };
}

function* checkEnd(sql: Sql, chain: AuditChainRow, { seq, mac }: ChainPosition): Generator<AuditFault> {
  const { head_seq, head_mac, before_seq, before_mac, hub } = chain;
  if (seq < head_seq) {
    const problem = `the chain ends with entry ${head_seq}, but the last stored entry is ${seq}`;
    yield { kind: 'truncated', seq: seq + 1, problem };
    return;
  }
  if (seq === head_seq && !isEqual(mac, head_mac))
    yield { kind: 'altered', seq, problem: 'the last entry does not match the end of the chain' };
  const checkpoint = findAuditCheckpoint(sql, hub);
  if (!checkpoint || checkpoint.seq < before_seq) return;
  const storedMac = checkpoint.seq === before_seq ? before_mac : findAuditEntryMac(sql, hub, checkpoint.seq);
  if (storedMac === undefined)
    yield {
      kind: 'truncated',
      seq: checkpoint.seq,
      problem: 'this entry is missing, although a checkpoint confirms it',
    };
  else if (!isEqual(storedMac, checkpoint.mac))
    yield { kind: 'altered', seq: checkpoint.seq, problem: 'it does not match its checkpoint' };
}
