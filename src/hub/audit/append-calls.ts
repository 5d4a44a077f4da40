import type { AttestedCall, AuditCall } from '../../contract/hubs/audit-api.ts';
import type { Random } from '../../environment/random.ts';
import { stringifyInPieces } from '../../json/json-pieces.ts';
import {
  type AuditChainRow,
  allocateAuditHubNumber,
  findAuditChain,
  saveAuditChain,
} from '../../store/audit/chains.ts';
import { hasAuditEntry, insertAuditEntry } from '../../store/audit/entries.ts';
import { deleteOpenIntent, insertOpenIntent } from '../../store/audit/open-intents.ts';
import type { Sql } from '../../store/sql.ts';
import { toAttestedCall, toCallKeys, toCallTexts, toEntryKeys } from './attested-call.ts';
import type { AuditEntry, CallBeforeOutcome } from './audit-entry.ts';
import {
  type ChainKey,
  computeChainSeal,
  computeEntryMac,
  computeSaltedDigest,
  initialMac,
  startSaltedDigest,
} from './chain.ts';
import type { PreparedParts } from './prepared-parts.ts';
import { redactArguments, toJsonText } from './redacted-arguments.ts';

/** A call with its digests computed; only its position in the chain is missing. */
export type PreparedCall = PreparedParts & { readonly entry: AuditEntry };

export type ChainKeys = (hubId: string) => ChainKey;

/** What is written and digested between two turns of others, in characters. */
const turnLength = 262_144;

export function prepareCall(entry: AuditEntry, keys: ChainKeys, random: Random): PreparedCall {
  const {
    salt,
    storedArguments,
    digests,
    texts,
    keys: entryKeys,
  } = entry.prepared ?? prepareParts(entry, keys, random);
  return { entry, salt, storedArguments, digests, texts, keys: entryKeys };
}

/** What of a row does not depend on the outcome of its call. */
export function prepareParts(call: CallBeforeOutcome, keys: ChainKeys, random: Random): PreparedParts {
  const key = keys(call.principal.hub.id);
  const salt = random.bytes(16);
  const fullText = toJsonText(call.arguments);
  const storedArguments = redactArguments(call.arguments, call.redact) ?? null;
  const digest = computeSaltedDigest(key, salt, fullText);
  // Usually nothing is hidden and both digests are equal.
  const storedDigest = storedArguments === fullText ? digest : digestStored(key, salt, storedArguments);
  return { salt, storedArguments, digests: { arguments_digest: digest, kept_digest: storedDigest }, ...describe(call) };
}

function describe(call: CallBeforeOutcome): Pick<PreparedParts, 'texts' | 'keys'> {
  const texts = toCallTexts(call);
  return { texts, keys: toCallKeys(texts) };
}

/** The same for arguments of megabytes; `takeTurn` is awaited between steps. */
export async function prepareLargeCall(
  entry: AuditEntry,
  keys: ChainKeys,
  random: Random,
  takeTurn: () => Promise<unknown>,
): Promise<PreparedCall> {
  const key = keys(entry.principal.hub.id);
  const salt = random.bytes(16);
  const digest = startSaltedDigest(key, salt);
  let length = 0;
  for (const piece of stringifyInPieces(entry.arguments)) {
    digest.update(piece);
    length += piece.length;
    if (length < turnLength) continue;
    length = 0;
    await takeTurn();
  }
  const storedArguments = redactArguments(entry.arguments, entry.redact) ?? null;
  const digests = {
    arguments_digest: digest.digest('base64url'),
    kept_digest: digestStored(key, salt, storedArguments),
  };
  return { entry, salt, storedArguments, digests, ...describe(entry) };
}

export function digestStored(key: ChainKey, salt: Uint8Array, storedArguments: string | null): string | null {
  return storedArguments === null ? null : computeSaltedDigest(key, salt, storedArguments);
}

/** By hub id: the chains to which calls were appended. */
type AppendedCalls = { readonly written: AuditCall[]; readonly heads: ReadonlyMap<string, AuditChainRow> };

/** Writes calls in order. */
export function appendCalls(sql: Sql, calls: readonly PreparedCall[], keys: ChainKeys): AppendedCalls {
  const heads = new Map<string, AuditChainRow>();
  const written = calls.map((call) => {
    const { id } = call.entry.principal.hub;
    const head = heads.get(id) ?? findAuditChain(sql, id) ?? createChain(allocateAuditHubNumber(sql), id);
    const { row, attested } = appendCall(sql, head, call, keys(id));
    heads.set(id, row);
    return { ...attested, arguments: call.storedArguments };
  });
  saveHeads(sql, heads.values(), keys);
  return { written, heads };
}

/** Saves chains with their new ends. */
export function saveHeads(sql: Sql, heads: Iterable<AuditChainRow>, keys: ChainKeys): void {
  for (const row of heads) saveAuditChain(sql, { ...row, seal: computeChainSeal(keys(row.hub_id), row) });
}

/** Whether an earlier commit has written this call. */
export function isCallWritten(sql: Sql, call: PreparedCall): boolean {
  const { entry, salt } = call;
  const chain = findAuditChain(sql, entry.principal.hub.id);
  if (!chain) return false;
  const { at_ms: atMs } = toEntryKeys(toAttestedCall(entry, 0, call));
  return hasAuditEntry(sql, chain.hub, atMs, salt);
}

function createChain(hub: number, hubId: string): AuditChainRow {
  const start = { before_seq: 0, before_mac: initialMac, head_seq: 0, head_mac: initialMac, erased_seq: 0 };
  return { hub, hub_id: hubId, ...start, seal: initialMac };
}

function appendCall(
  sql: Sql,
  head: AuditChainRow,
  call: PreparedCall,
  key: ChainKey,
): { row: AuditChainRow; attested: AttestedCall } {
  const { entry, salt, storedArguments } = call;
  const seq = head.head_seq + 1;
  // The first row claims the number of the hub: two new hubs of one batch must not get the same number.
  if (seq === 1) saveAuditChain(sql, head);
  const attested = toAttestedCall(entry, seq, call);
  const body = JSON.stringify(attested);
  const mac = computeEntryMac(key, head.head_mac, body);
  insertAuditEntry(sql, {
    ...toEntryKeys(attested, call.keys),
    hub: head.hub,
    seq,
    body,
    mac,
    salt,
    arguments: storedArguments,
  });
  if (entry.outcome === 'started') insertOpenIntent(sql, head.hub, seq);
  if (entry.intentSeq !== undefined) deleteOpenIntent(sql, head.hub, entry.intentSeq);
  return { row: { ...head, head_seq: seq, head_mac: mac }, attested };
}
