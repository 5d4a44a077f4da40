import t from 'tap';
import {
  formatSearchProgress,
  matchesAuditQuery,
  parseAuditQuery,
} from '../../../../src/console/hub/audit/audit-query.ts';
import type { AuditCall } from '../../../../src/contract/hubs/audit-api.ts';

const call: AuditCall = {
  hub_id: 'h1',
  hub: 'acme',
  seq: 7,
  at: '2026-11-20T14:30:00.000Z',
  person_id: 'p1',
  person: 'Ana',
  role: 'owner',
  via: 'token',
  via_id: 't1',
  via_name: 'ci',
  client: null,
  client_version: null,
  method: 'tools/call',
  connection_id: 'c1',
  connection: 'weather',
  tool: 'forecast',
  outcome: 'denied',
  reason: null,
  duration_ms: 3,
  request_bytes: 10,
  answer_bytes: 20,
  request_id: null,
  arguments_digest: 'd',
  kept_digest: null,
  arguments: null,
};

t.test('the audit filter is read from the URL; unknown values are ignored', async (t) => {
  const nowMs = Date.UTC(2026, 10, 20, 14, 30);
  const params = new URLSearchParams('person=p1&tool=forecast&outcome=denied&since=24h&call=7');
  const query = parseAuditQuery(params, nowMs);
  t.same(query, { person: 'p1', tool: 'forecast', outcome: 'denied', from: '2026-11-19T14:30:00.000Z' });
  t.same(parseAuditQuery(new URLSearchParams('outcome=great&since=ever&person='), nowMs), {});
});

t.test('a new call is shown if it matches the filter', async (t) => {
  t.ok(matchesAuditQuery(call, {}));
  t.ok(
    matchesAuditQuery(call, { person: 'p1', token: 't1', connection: 'weather', tool: 'forecast', outcome: 'denied' }),
  );
  for (const other of [
    { person: 'p2' },
    { token: 't2' },
    { connection: 'x' },
    { tool: 'x' },
    { outcome: 'ok' },
  ] as const)
    t.notOk(matchesAuditQuery(call, other), JSON.stringify(other));
});

t.test('an incomplete search says how far it got, and that there may be more', (t) => {
  const until = '2026-11-20T14:30:00.000Z';
  t.match(
    formatSearchProgress(3, until, true),
    /^These are all matching calls since .*2026.*\. Older calls have not been searched/,
  );
  t.match(formatSearchProgress(50, until, false), /^These are all calls since /);
  t.match(formatSearchProgress(0, until, true), /^No matching calls since .*Older calls have not been searched/);
  t.end();
});
