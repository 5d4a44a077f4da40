/** A call as a row: the attested JSON and the columns that searches use. */
import { hash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { AttestedCall } from '../../contract/hubs/audit-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { AuditEntryRow } from '../../store/audit/entries.ts';
import { type AuditEntry, auditOutcomes } from './audit-entry.ts';

/** Columns derived from the attested JSON. */
export type EntryKeys = Pick<
  AuditEntryRow,
  'at_ms' | 'person_key' | 'via_key' | 'connection_key' | 'tool_key' | 'request_key' | 'outcome' | 'intent'
>;

export type ArgumentDigests = Pick<AttestedCall, 'arguments_digest' | 'kept_digest'>;

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

function toViaColumns({ principal: { via } }: AuditEntry): Pick<AttestedCall, 'via' | 'via_id' | 'via_name'> {
  if (via.kind === 'token') return { via: 'token', via_id: sanitize(via.tokenId), via_name: sanitize(via.tokenName) };
  if (via.kind === 'grant') return { via: 'grant', via_id: sanitize(via.clientId), via_name: sanitize(via.clientName) };
  return { via: 'console', via_id: null, via_name: null };
}

export function toAttestedCall(entry: AuditEntry, seq: number, digests: ArgumentDigests): AttestedCall {
  const { principal, connection } = entry;
  return {
    hub_id: sanitize(principal.hub.id),
    hub: sanitize(principal.hub.slug),
    seq,
    at: new Date(entry.atMs).toISOString(),
    person_id: sanitize(principal.person.personId),
    person: sanitize(principal.person.name),
    role: principal.role,
    ...toViaColumns(entry),
    client: sanitizeOrNull(principal.client?.name),
    client_version: sanitizeOrNull(principal.client?.version),
    method: sanitize(entry.method),
    connection_id: sanitizeOrNull(connection?.id),
    connection: sanitizeOrNull(connection?.name),
    tool: sanitizeOrNull(entry.tool),
    outcome: entry.outcome,
    reason: sanitizeOrNull(entry.reason),
    duration_ms: Math.max(0, Math.round(entry.durationMs * 1000) / 1000),
    request_bytes: toCount(entry.requestBytes),
    answer_bytes: toCount(entry.responseBytes),
    request_id: sanitizeOrNull(entry.requestId),
    ...digests,
    ...(entry.intentSeq === undefined ? {} : { intent_seq: entry.intentSeq }),
    ...(entry.counts === undefined ? {} : { counts: entry.counts }),
  };
}

export function toEntryKeys(call: AttestedCall): EntryKeys {
  return {
    at_ms: Date.parse(call.at),
    person_key: getCachedKey(call.person_id),
    via_key: getCachedKey(call.via_id),
    connection_key: getCachedKey(call.connection),
    tool_key: getCachedKey(call.tool),
    request_key: toRequestKey(call.request_id),
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
