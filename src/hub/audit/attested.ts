/** A call as a row: what is attested as JSON, and the columns that it is found by. */
import { hash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { AttestedCall } from '../../contract/hub-audit-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { EntryRow } from '../../store/audit/entries.ts';
import { type AuditEntry, auditOutcomes } from '../words.ts';

/** Columns that follow from what is attested. */
export type EntryKeys = Pick<
  EntryRow,
  'at_ms' | 'person_key' | 'via_key' | 'connection_key' | 'tool_key' | 'request_key' | 'outcome'
>;

/** The digests of a call's arguments. */
export type ArgumentDigests = Pick<AttestedCall, 'arguments_digest' | 'kept_digest'>;

/** 32 bits of a hash; 0 is for what is not there. */
export function searchKey(text: string | null): number {
  if (text === null || text === '') return 0;
  return hash('sha256', text, 'buffer').readUInt32BE(0) || 1;
}

/**
 * The key of a request's id. Ids that we give count up behind a beginning that is the same for all of a process: their keys
 * stand beside each other, so that few pages of the index are written for many rows. 52 bits.
 */
export function requestKey(id: string | null): number {
  const [, beginning, count] = /^([\w-]{8})-([\da-z]{1,6})$/.exec(id ?? '') ?? [];
  if (beginning === undefined || count === undefined) return searchKey(id);
  return (searchKey(beginning) % 2 ** 20) * 2 ** 32 + Number.parseInt(count, 36);
}

const remembered = new Map<string, number>();

/** The same few ids and names come again and again. */
function knownKey(text: string | null): number {
  if (text === null) return 0;
  const known = remembered.get(text);
  if (known !== undefined) return known;
  if (remembered.size >= 4096) remembered.clear();
  const key = searchKey(text);
  remembered.set(text, key);
  return key;
}

/** One line without what steers a terminal or breaks a line of the export; at most 300 characters. */
function clean(text: string): string {
  const short = text.slice(0, 300);
  // Nearly all are of these letters, and looking for the others costs ten times as much.
  if (/^[ -~]*$/.test(short)) return short;
  return short.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '�');
}

function cleanOrNull(text: string | undefined): string | null {
  return text === undefined ? null : clean(text);
}

function count(value: number): number {
  return Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

function viaOf({ principal: { via } }: AuditEntry): Pick<AttestedCall, 'via' | 'via_id' | 'via_name'> {
  if (via.kind === 'token') return { via: 'token', via_id: clean(via.tokenId), via_name: clean(via.tokenName) };
  if (via.kind === 'grant') return { via: 'grant', via_id: clean(via.clientId), via_name: clean(via.clientName) };
  return { via: 'console', via_id: null, via_name: null };
}

/** What is attested of a call. */
export function attestedOf(entry: AuditEntry, seq: number, digests: ArgumentDigests): AttestedCall {
  const { principal, connection } = entry;
  return {
    hub_id: clean(principal.hub.id),
    hub: clean(principal.hub.slug),
    seq,
    at: new Date(entry.atMs).toISOString(),
    person_id: clean(principal.person.personId),
    person: clean(principal.person.name),
    role: principal.role,
    ...viaOf(entry),
    client: cleanOrNull(principal.client?.name),
    client_version: cleanOrNull(principal.client?.version),
    method: clean(entry.method),
    connection_id: cleanOrNull(connection?.id),
    connection: cleanOrNull(connection?.name),
    tool: cleanOrNull(entry.tool),
    outcome: entry.outcome,
    reason: cleanOrNull(entry.reason),
    duration_ms: Math.max(0, Math.round(entry.durationMs * 1000) / 1000),
    request_bytes: count(entry.requestBytes),
    answer_bytes: count(entry.answerBytes),
    request_id: cleanOrNull(entry.requestId),
    ...digests,
  };
}

/** The columns of a call. */
export function keysOf(call: AttestedCall): EntryKeys {
  return {
    at_ms: Date.parse(call.at),
    person_key: knownKey(call.person_id),
    via_key: knownKey(call.via_id),
    connection_key: knownKey(call.connection),
    tool_key: knownKey(call.tool),
    request_key: requestKey(call.request_id),
    outcome: auditOutcomes.indexOf(call.outcome),
  };
}

/** The compiler knows no formats; a moment that is none does not fit its column. */
const compiled = TypeCompiler.Compile(
  Type.Composite([Type.Omit(AttestedCall, ['at']), Type.Object({ at: Type.String() })]),
);

/** What a row attests; undefined where it is no such text. */
export function readAttested(body: string): AttestedCall | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return compiled.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The same of a row that must be whole. Throws AUDIT_DAMAGED. */
export function attestedIn({ hub, seq, body }: Pick<EntryRow, 'hub' | 'seq' | 'body'>): AttestedCall {
  const call = readAttested(body);
  if (!call) throw vpError('AUDIT_DAMAGED', { seq }, { detail: `hub number ${hub}` });
  return call;
}
