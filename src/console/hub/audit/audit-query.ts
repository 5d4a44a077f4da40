/** The filter of the audit page, which is stored in the address bar. */
import type { AuditCall, AuditQuery } from '../../../contract/hubs/audit-api.ts';
import { formatExactTime } from '../../text/format.ts';
import { isOutcome } from './call-outcomes.ts';

/** In hours. */
export const auditTimeRanges = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const;

const hourMs = 3_600_000;
const textFilters = ['person', 'token', 'connection', 'tool'] as const;

/** Ignores unknown values. */
export function parseAuditQuery(search: URLSearchParams, nowMs: number): AuditQuery {
  const query: AuditQuery = {};
  for (const name of textFilters) {
    const value = search.get(name);
    if (value) query[name] = value;
  }
  const outcome = search.get('outcome') ?? '';
  if (isOutcome(outcome)) query.outcome = outcome;
  const [, hours] = Object.entries(auditTimeRanges).find(([name]) => name === search.get('since')) ?? [];
  if (hours !== undefined) query.from = new Date(nowMs - hours * hourMs).toISOString();
  return query;
}

export function matchesAuditQuery(call: AuditCall, { person, token, connection, tool, outcome }: AuditQuery): boolean {
  const criteria = [
    [person, call.person_id],
    [token, call.via_id],
    [connection, call.connection],
    [tool, call.tool],
    [outcome, call.outcome],
  ];
  return criteria.every(([expected, actual]) => expected === undefined || expected === actual);
}

/** A page of a search ends after a number of examined calls, even if few of them match. */
export function formatSearchProgress(count: number, searchedUntil: string, isFiltered: boolean): string {
  const adjective = isFiltered ? 'matching ' : '';
  const summary = count === 0 ? `No ${adjective}calls` : `These are all ${adjective}calls`;
  return `${summary} since ${formatExactTime(searchedUntil)}. Older calls have not been searched yet.`;
}
