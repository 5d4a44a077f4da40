/**
 * Rows of calls in the file `audit.recent`. A line has the MAC, the salt, the attested JSON and the stored arguments of a row,
 * separated by tabs; JSON contains neither tabs nor line ends.
 */
import { type AuditChainRow, findAuditChain } from '../../store/audit/chains.ts';
import { findAuditEntryMac, insertAuditEntry } from '../../store/audit/entries.ts';
import type { Sql } from '../../store/sql.ts';
import { type ChainKeys, digestStored, saveHeads } from './append-calls.ts';
import { type EntryKeys, parseAttested, toEntryKeys } from './attested-call.ts';
import { computeEntryMac } from './chain.ts';

/** A row without the number of its hub. */
export type RecentRow = {
  readonly hubId: string;
  readonly seq: number;
  readonly keys: EntryKeys;
  readonly body: string;
  readonly mac: Uint8Array;
  readonly salt: Uint8Array;
  readonly storedArguments: string | null;
};

/** Stands for arguments that are not stored: JSON is never empty. */
const noArguments = '';

export function formatRecentLine({ mac, salt, body, storedArguments }: RecentRow): string {
  return `${toBase64(mac)}\t${toBase64(salt)}\t${body}\t${storedArguments ?? noArguments}\n`;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Undefined for what is not a line of a valid row, such as what a power cut has left. */
function parseRecentLine(line: string, keys: ChainKeys): RecentRow | undefined {
  const [mac = '', salt = '', body = '', argumentsText, ...others] = line.split('\t');
  const attested = parseAttested(body);
  if (!attested || argumentsText === undefined || others.length > 0) return undefined;
  const storedArguments = argumentsText === noArguments ? null : argumentsText;
  const row = { mac: Buffer.from(mac, 'base64'), salt: Buffer.from(salt, 'base64'), body, storedArguments };
  if (digestStored(keys(attested.hub_id), row.salt, storedArguments) !== attested.kept_digest) return undefined;
  return { hubId: attested.hub_id, seq: attested.seq, keys: toEntryKeys(attested), ...row };
}

/** `unusable`: the number of lines that do not continue their chains, and are not in them. */
export type MissingRows = { readonly rows: readonly RecentRow[]; readonly unusable: number };

/** The rows of lines that the tables do not have. */
export function listMissingRows(sql: Sql, lines: readonly string[], keys: ChainKeys): MissingRows {
  const ends = new Map<string, AuditChainRow>();
  const rows: RecentRow[] = [];
  let unusable = 0;
  for (const line of lines) {
    const row = parseRecentLine(line, keys);
    const end = row && (ends.get(row.hubId) ?? findAuditChain(sql, row.hubId));
    if (end && row.seq <= end.head_seq) {
      if (!isInChain(sql, end, row)) unusable += 1;
    } else if (end && continuesChain(row, end, keys)) {
      rows.push(row);
      ends.set(row.hubId, { ...end, head_seq: row.seq, head_mac: row.mac });
    } else unusable += 1;
  }
  return { rows, unusable };
}

/** False where a program that does not know the file has written another row. What retention has deleted cannot be compared. */
function isInChain(sql: Sql, { hub }: AuditChainRow, { seq, mac }: RecentRow): boolean {
  const stored = findAuditEntryMac(sql, hub, seq);
  return stored === undefined || Buffer.compare(stored, mac) === 0;
}

function continuesChain(
  { hubId, seq, body, mac }: RecentRow,
  { head_seq, head_mac }: Pick<AuditChainRow, 'head_seq' | 'head_mac'>,
  keys: ChainKeys,
): boolean {
  return seq === head_seq + 1 && Buffer.compare(computeEntryMac(keys(hubId), head_mac, body), mac) === 0;
}

/** Inserts rows in their order, and leaves out those that are there already. Throws where one does not continue its chain. */
export function insertRecentRows(sql: Sql, rows: readonly RecentRow[], keys: ChainKeys): void {
  const heads = new Map<string, AuditChainRow>();
  const changed = new Map<string, AuditChainRow>();
  for (const { hubId, seq, keys: entryKeys, body, mac, salt, storedArguments } of rows) {
    const head = heads.get(hubId) ?? findAuditChain(sql, hubId);
    // Read once for many rows that are there already.
    if (head) heads.set(hubId, head);
    const isOther = head?.head_seq === seq && Buffer.compare(head.head_mac, mac) !== 0;
    if (isOther || !head || head.head_seq < seq - 1)
      throw new Error(`entry ${seq} does not continue the chain of ${hubId}`);
    if (seq <= head.head_seq) continue;
    insertAuditEntry(sql, { ...entryKeys, hub: head.hub, seq, body, mac, salt, arguments: storedArguments });
    const row = { ...head, head_seq: seq, head_mac: mac };
    heads.set(hubId, row);
    changed.set(hubId, row);
  }
  saveHeads(sql, changed.values(), keys);
}
