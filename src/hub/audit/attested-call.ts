/** A call as a row: the attested JSON and the columns that searches use. */
import { hash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { AttestedCall } from '../../contract/hubs/audit-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { AuditEntryRow } from '../../store/audit/entries.ts';
import { type AuditEntry, auditOutcomes, type CallBeforeOutcome } from './audit-entry.ts';
import type { ArgumentDigests, CallKeys, CallTexts } from './prepared-parts.ts';

/** Columns derived from the attested JSON. */
export type EntryKeys = CallKeys & Pick<AuditEntryRow, 'at_ms' | 'outcome' | 'intent'>;

/** The first 32 bits of a SHA-256 hash; 0 for an absent value. */
export function toSearchKey(text: string | null): number {
  if (text === null || text === '') return 0;
  return hash('sha256', text, 'buffer').readUInt32BE(0) || 1;
}

/**
 * The search key of a request id, 52 bits. Ids that we generate share a prefix per process and count up: consecutive
 * keys keep the writes to the index on few pages.
 */
export function toRequestKey(id: string | null): number {
  const [, prefix, count] = /^([\w-]{8})-([\da-z]{1,6})$/.exec(id ?? '') ?? [];
  if (prefix === undefined || count === undefined) return toSearchKey(id);
  return (getCachedKey(prefix) % 2 ** 20) * 2 ** 32 + Number.parseInt(count, 36);
}

const keyCache = new Map<string, number>();

function getCachedKey(text: string | null): number {
  if (text === null) return 0;
  const cached = keyCache.get(text);
  if (cached !== undefined) return cached;
  if (keyCache.size >= 4096) keyCache.clear();
  const key = toSearchKey(text);
  keyCache.set(text, key);
  return key;
}

/** One line of at most 300 characters, without control characters that affect terminals or line breaks in exports. */
function sanitize(text: string): string {
  const truncated = text.slice(0, 300);
  // Nearly all texts match this; the Unicode check costs ten times as much.
  if (/^[ -~]*$/.test(truncated)) return truncated;
  return truncated.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '�');
}

function sanitizeOrNull(text: string | undefined): string | null {
  return text === undefined ? null : sanitize(text);
}

function toCount(value: number): number {
  return Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

function toViaColumns({ principal: { via } }: CallBeforeOutcome): Pick<AttestedCall, 'via' | 'via_id' | 'via_name'> {
  if (via.kind === 'token') return { via: 'token', via_id: sanitize(via.tokenId), via_name: sanitize(via.tokenName) };
  if (via.kind === 'grant') return { via: 'grant', via_id: sanitize(via.clientId), via_name: sanitize(via.clientName) };
  return { via: 'console', via_id: null, via_name: null };
}

export function toCallTexts(call: CallBeforeOutcome): CallTexts {
  const { principal, connection } = call;
  return {
    hub_id: sanitize(principal.hub.id),
    hub: sanitize(principal.hub.slug),
    person_id: sanitize(principal.person.personId),
    person: sanitize(principal.person.name),
    role: principal.role,
    ...toViaColumns(call),
    client: sanitizeOrNull(principal.client?.name),
    client_version: sanitizeOrNull(principal.client?.version),
    method: sanitize(call.method),
    connection_id: sanitizeOrNull(connection?.id),
    connection: sanitizeOrNull(connection?.name),
    tool: sanitizeOrNull(call.tool),
    request_id: sanitizeOrNull(call.requestId),
  };
}

/** The order of the members is that of the JSON that the chain attests. */
export function toAttestedCall(
  entry: AuditEntry,
  seq: number,
  { texts, digests }: { readonly texts: CallTexts; readonly digests: ArgumentDigests },
): AttestedCall {
  const attested: AttestedCall = {
    hub_id: texts.hub_id,
    hub: texts.hub,
    seq,
    at: new Date(entry.atMs).toISOString(),
    person_id: texts.person_id,
    person: texts.person,
    role: texts.role,
    via: texts.via,
    via_id: texts.via_id,
    via_name: texts.via_name,
    client: texts.client,
    client_version: texts.client_version,
    method: texts.method,
    connection_id: texts.connection_id,
    connection: texts.connection,
    tool: texts.tool,
    outcome: entry.outcome,
    reason: sanitizeOrNull(entry.reason),
    duration_ms: Math.max(0, Math.round(entry.durationMs * 1000) / 1000),
    request_bytes: toCount(entry.requestBytes),
    answer_bytes: toCount(entry.responseBytes),
    request_id: texts.request_id,
    arguments_digest: digests.arguments_digest,
    kept_digest: digests.kept_digest,
  };
  if (entry.intentSeq !== undefined) attested.intent_seq = entry.intentSeq;
  if (entry.counts !== undefined) attested.counts = entry.counts;
  return attested;
}

export function toCallKeys(texts: CallTexts): CallKeys {
  return {
    person_key: getCachedKey(texts.person_id),
    via_key: getCachedKey(texts.via_id),
    connection_key: getCachedKey(texts.connection),
    tool_key: getCachedKey(texts.tool),
    request_key: toRequestKey(texts.request_id),
  };
}

/** `keys` are those of the call, where they are known. */
export function toEntryKeys(call: AttestedCall, keys: CallKeys = toCallKeys(call)): EntryKeys {
  return {
    at_ms: Date.parse(call.at),
    person_key: keys.person_key,
    via_key: keys.via_key,
    connection_key: keys.connection_key,
    tool_key: keys.tool_key,
    request_key: keys.request_key,
    outcome: auditOutcomes.indexOf(call.outcome),
    intent: call.intent_seq ?? null,
  };
}

/** The compiler does not know the format `date-time`; an invalid time would not match its column. */
const attestedCheck = TypeCompiler.Compile(
  Type.Composite([Type.Omit(AttestedCall, ['at']), Type.Object({ at: Type.String() })]),
);

/** Returns undefined if the text is not an attested call. */
export function parseAttested(body: string): AttestedCall | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return attestedCheck.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Throws AUDIT_DAMAGED if the row is not an attested call. */
export function requireAttested({ hub, seq, body }: Pick<AuditEntryRow, 'hub' | 'seq' | 'body'>): AttestedCall {
  const call = parseAttested(body);
  if (!call) throw vpError('AUDIT_DAMAGED', { seq }, { detail: `hub number ${hub}` });
  return call;
}
