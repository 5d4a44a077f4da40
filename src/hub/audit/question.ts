/** Questions to the audit. */
import type { AuditCall } from '../../contract/hub-audit-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { EntrySearch } from '../../store/audit/search.ts';
import { type AuditOutcome, auditOutcomes } from '../words.ts';
import { requestKey, searchKey } from './attested.ts';

/** What is looked for; `cursor` is `next` of an earlier page. */
export type AuditWanted = {
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

function keyOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : searchKey(text);
}

function placeOf(cursor: string | undefined): EntrySearch['before'] {
  if (cursor === undefined) return undefined;
  const [, atMs, id] = /^(\d{1,16})\.(\d{1,16})$/.exec(cursor) ?? [];
  if (atMs === undefined || id === undefined)
    throw vpError('REQUEST_INVALID', { where: 'query parameter cursor', problem: 'is not of a page of this list' });
  return { atMs: Number(atMs), id: Number(id) };
}

/** The same for the store. Throws REQUEST_INVALID for a cursor that is none. */
export function entrySearchOf(hub: number, wanted: AuditWanted): EntrySearch {
  return {
    hub,
    fromMs: wanted.fromMs ?? 0,
    toMs: wanted.toMs ?? Number.MAX_SAFE_INTEGER,
    before: placeOf(wanted.cursor),
    personKey: keyOf(wanted.person),
    viaKey: keyOf(wanted.token),
    connectionKey: keyOf(wanted.connection),
    toolKey: keyOf(wanted.tool),
    requestKey: wanted.requestId === undefined ? undefined : requestKey(wanted.requestId),
    outcome: wanted.outcome === undefined ? undefined : auditOutcomes.indexOf(wanted.outcome),
    limit: wanted.limit,
  };
}

/** Whether a call is what was looked for. */
export function fits(call: AuditCall, { person, token, connection, tool, requestId }: AuditWanted): boolean {
  const wanted = [
    [person, call.person_id],
    [token, call.via_id],
    [connection, call.connection],
    [tool, call.tool],
    [requestId, call.request_id],
  ];
  return wanted.every(([asked, found]) => asked === undefined || asked === found);
}
