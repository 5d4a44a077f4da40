import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { AuditEntrySearch } from '../../store/audit/search.ts';
import { toRequestKey, toSearchKey } from './attested-call.ts';
import { type AuditOutcome, auditOutcomes } from './audit-entry.ts';

/** Search filters; `cursor` is `next` of an earlier page. */
export type AuditSearch = {
  readonly person?: string | undefined;
  readonly token?: string | undefined;
  readonly connection?: string | undefined;
  readonly tool?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly requestId?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

function toOptionalKey(text: string | undefined): number | undefined {
  return text === undefined ? undefined : toSearchKey(text);
}

function parseCursor(cursor: string | undefined): AuditEntrySearch['before'] {
  if (cursor === undefined) return undefined;
  const [, atMs, id] = /^(\d{1,16})\.(\d{1,16})$/.exec(cursor) ?? [];
  if (atMs === undefined || id === undefined) throw vpError('CURSOR_INVALID', {});
  return { atMs: Number(atMs), id: Number(id) };
}

/** Throws CURSOR_INVALID. */
export function toEntrySearch(hub: number, search: AuditSearch): AuditEntrySearch {
  return {
    hub,
    fromMs: search.fromMs ?? 0,
    toMs: search.toMs ?? Number.MAX_SAFE_INTEGER,
    before: parseCursor(search.cursor),
    personKey: toOptionalKey(search.person),
    viaKey: toOptionalKey(search.token),
    connectionKey: toOptionalKey(search.connection),
    toolKey: toOptionalKey(search.tool),
    requestKey: search.requestId === undefined ? undefined : toRequestKey(search.requestId),
    outcome: search.outcome === undefined ? undefined : auditOutcomes.indexOf(search.outcome),
    startedOutcome: auditOutcomes.indexOf('started'),
    limit: search.limit,
  };
}

export function matchesAuditSearch(
  call: AuditCall,
  { person, token, connection, tool, requestId }: AuditSearch,
): boolean {
  const conditions = [
    [person, call.person_id],
    [token, call.via_id],
    [connection, call.connection],
    [tool, call.tool],
    [requestId, call.request_id],
  ];
  return conditions.every(([expected, actual]) => expected === undefined || expected === actual);
}
