/** Refused calls cannot displace the rows of others from the audit: beyond a bound they are counted, and their caller has to wait. */
import t from 'tap';
import type { AuditEntry } from '../../../src/hub/audit/audit-entry.ts';
import { RefusalBound } from '../../../src/hub/gateway/refusal-bound.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { origin } from '../../server/test-server.ts';
import { createEntry } from '../audit/test-audit.ts';
import { createToken } from '../fixtures/hub-people.ts';
import { jsonHeaders } from '../fixtures/mcp-requests.ts';
import { startTestHub } from '../fixtures/test-hub.ts';

t.test('more refused calls than 1,200 a minute are one row, and their caller waits', async (t) => {
  const hub = await startTestHub(t);
  const [{ token }, { token: other }] = [await createToken(hub.max, 'acme'), await createToken(hub.ana, 'acme')];
  const post = async (bearer: string, body: unknown) => {
    const headers = { ...jsonHeaders, Authorization: `Bearer ${bearer}`, 'MCP-Protocol-Version': '2025-03-26' };
    const request = new Request(`${origin}/agent/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });
    const response = await hub.api.fetch(request);
    await response.text();
    return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'made__up', arguments: {} } };
  const batch = Array.from({ length: 30 }, (_, id) => ({ ...call, id }));
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  for (let sent = 0; sent < 40; sent += 1) t.equal((await post(token, batch)).status, 200);
  const refused = await post(token, call);
  t.equal(refused.status, 429);
  t.ok(refused.retryAfter > 0 && refused.retryAfter <= 60);
  t.equal((await post(token, batch)).status, 429);
  t.equal((await post(token, list)).status, 200, 'what is no call passes');
  t.equal((await post(other, call)).status, 200, 'others are not held up');
  await hub.gateway.drain();
  const { items } = await hub.gateway.audit.search(hub.hub.hub_id, { limit: 10 });
  t.match(items.slice(0, 3), [
    {
      method: 'refused calls',
      outcome: 'denied',
      person: 'Max',
      reason: /^31 more calls were refused within a minute/,
    },
    { method: 'tools/call', person: 'Ana', reason: 'HUB_TOOL_UNKNOWN' },
    { method: 'tools/call', person: 'Max', reason: 'HUB_TOOL_UNKNOWN' },
  ]);
  t.equal(items[0]?.seq, 1202, 'everything else has its row');
});

t.test('each minute begins anew, and calls that are sent are never bounded', async (t) => {
  const clock = fakeClock();
  const rows: AuditEntry[] = [];
  const record = async (entry: AuditEntry) => void rows.push(entry);
  const onError = (error: unknown) => t.fail('not written', { error });
  const bound = new RefusalBound({ audit: { record }, clock, onError });
  const { principal } = createEntry();
  const unknown = { ...createEntry(), outcome: 'failed', connection: undefined } as const;
  for (let sent = 0; sent < 1300; sent += 1) await bound.audit.record({ ...createEntry(), outcome: 'denied' });
  await bound.audit.record(unknown);
  for (let sent = 0; sent < 50; sent += 1) await bound.audit.record({ ...createEntry(), outcome: 'failed' });
  t.equal(rows.length, 1250);
  t.match(
    bound.findRefusal(principal, () => 3),
    { status: 429, retryAfterSeconds: 60 },
  );
  clock.advance(60_000);
  t.match(rows.at(-1), { reason: /^104 more calls/, principal, counts: 'nothing' });
  t.equal(
    bound.findRefusal(principal, () => 3),
    undefined,
  );
  await bound.audit.record(unknown);
  t.equal(rows.length, 1252);
  await bound.close();
  t.equal(rows.length, 1252, 'nothing was left to count');
});

t.test('calls of servers that cannot be reached are bounded too, and lock out nobody', async (t) => {
  const clock = fakeClock();
  const rows: AuditEntry[] = [];
  const record = async (entry: AuditEntry) => void rows.push(entry);
  const bound = new RefusalBound({ audit: { record }, clock, onError: (error) => t.fail('not written', { error }) });
  const unreachable = {
    ...createEntry(),
    outcome: 'failed',
    connection: undefined,
    reason: 'UPSTREAM_UNREACHABLE',
  } as const;
  for (let sent = 0; sent < 1500; sent += 1) await bound.audit.record(unreachable);
  t.equal(rows.length, 1200);
  t.equal(
    bound.findRefusal(unreachable.principal, () => 1),
    undefined,
  );
  clock.advance(60_000);
  t.match(rows.at(-1), {
    method: 'unreachable calls',
    outcome: 'failed',
    reason: /^300 more calls found their server unreachable within a minute/,
  });
});
