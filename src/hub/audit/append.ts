/** Appends calls to the chains of their hubs. */
import type { AttestedCall, AuditCall } from '../../contract/hub-audit-api.ts';
import type { Random } from '../../environment/random.ts';
import { type ChainRow, chainOf, nextHubNumber, putChain } from '../../store/audit/chains.ts';
import { insertEntry } from '../../store/audit/entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { AuditEntry } from '../words.ts';
import { type ArgumentDigests, attestedOf, keysOf } from './attested.ts';
import { type ChainKey, chainSeal, entryMac, noMac, saltedDigest } from './chain.ts';
import { argumentText, keptArguments } from './kept-arguments.ts';

/** A call with its digests made, so that nothing but its place is missing. */
export type PreparedCall = {
  readonly entry: AuditEntry;
  readonly salt: Uint8Array;
  readonly kept: string | null;
  readonly digests: ArgumentDigests;
};

/** The keys of a hub. */
export type ChainKeys = (hubId: string) => ChainKey;

/** Digests and redacts the arguments of a call. */
export function prepared(entry: AuditEntry, keys: ChainKeys, random: Random): PreparedCall {
  const key = keys(entry.principal.hub.id);
  const salt = random.bytes(16);
  const kept = keptArguments(entry.arguments, entry.redact) ?? null;
  const whole = argumentText(entry.arguments);
  const digest = saltedDigest(key, salt, whole);
  // Mostly nothing is hidden, and the digest is the same.
  const keptDigest = kept === null ? null : kept === whole ? digest : saltedDigest(key, salt, kept);
  return { entry, salt, kept, digests: { arguments_digest: digest, kept_digest: keptDigest } };
}

/** Writes calls in their order; gives them as rows of the audit. */
export function appendCalls(sql: Sql, calls: readonly PreparedCall[], keys: ChainKeys): AuditCall[] {
  const heads = new Map<string, ChainRow>();
  const written = calls.map((call) => {
    const { id } = call.entry.principal.hub;
    const head = heads.get(id) ?? chainOf(sql, id) ?? newChain(nextHubNumber(sql), id);
    const { row, attested } = appended(sql, head, call, keys(id));
    heads.set(id, row);
    return { ...attested, arguments: call.kept };
  });
  for (const row of heads.values()) putChain(sql, { ...row, seal: chainSeal(keys(row.hub_id), row) });
  return written;
}

function newChain(hub: number, hubId: string): ChainRow {
  const start = { before_seq: 0, before_mac: noMac, head_seq: 0, head_mac: noMac };
  return { hub, hub_id: hubId, ...start, seal: noMac };
}

function appended(
  sql: Sql,
  head: ChainRow,
  { entry, salt, kept, digests }: PreparedCall,
  key: ChainKey,
): { row: ChainRow; attested: AttestedCall } {
  const seq = head.head_seq + 1;
  // The number of a hub is taken by its first row: two new hubs of one group must not get the same.
  if (seq === 1) putChain(sql, head);
  const attested = attestedOf(entry, seq, digests);
  const body = JSON.stringify(attested);
  const mac = entryMac(key, head.head_mac, body);
  insertEntry(sql, { ...keysOf(attested), hub: head.hub, seq, body, mac, salt, arguments: kept });
  return { row: { ...head, head_seq: seq, head_mac: mac }, attested };
}
