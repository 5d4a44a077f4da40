/** Which calls the audit shows; the address bar is where it is kept. */
import type { AuditCall, AuditQuery } from '../../contract/hub-audit-api.ts';
import { isOutcome } from './outcomes.ts';

/** Times that can be chosen, in hours. */
export const auditSpans = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const;

const hourMs = 3_600_000;
const names = ['person', 'token', 'connection', 'tool'] as const;

/** The question of an address, asked at `nowMs`. Unknown values count as none. */
export function auditQueryOf(search: URLSearchParams, nowMs: number): AuditQuery {
  const query: AuditQuery = {};
  for (const name of names) {
    const value = search.get(name);
    if (value) query[name] = value;
  }
  const outcome = search.get('outcome') ?? '';
  if (isOutcome(outcome)) query.outcome = outcome;
  const [, hours] = Object.entries(auditSpans).find(([name]) => name === search.get('since')) ?? [];
  if (hours !== undefined) query.from = new Date(nowMs - hours * hourMs).toISOString();
  return query;
}

/** True when a call that has just been written belongs into the list. */
export function isAsked(call: AuditCall, { person, token, connection, tool, outcome }: AuditQuery): boolean {
  const wanted = [
    [person, call.person_id],
    [token, call.via_id],
    [connection, call.connection],
    [tool, call.tool],
    [outcome, call.outcome],
  ];
  return wanted.every(([one, found]) => one === undefined || one === found);
}
