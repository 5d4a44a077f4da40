/** Usage is counted from the audit. */
import t from 'tap';
import { formatUsageCsv } from '../../../src/contract/hubs/usage-csv.ts';
import { createUsageReport } from '../../../src/hub/usage/usage-report.ts';
import { createEntry, createPrincipal, openTestAudit } from '../audit/test-audit.ts';

const atMs = Date.UTC(2026, 10, 20, 23, 30);
const range = { hubId: 'id-of-acme', fromMs: atMs - 86_400_000, toMs: atMs + 86_400_000, person: undefined };

t.test('each call counts once, by what is requested', async (t) => {
  const { audit } = await openTestAudit(t);
  for (let index = 1; index <= 20; index += 1)
    await audit.record(createEntry({ atMs, durationMs: index, requestBytes: 100, responseBytes: 300 }));
  const more = [
    { principal: createPrincipal('acme', 'Max'), outcome: 'denied' as const, durationMs: 900 },
    { outcome: 'timeout' as const, durationMs: 500, connection: { id: 'c2', name: 'mail' }, tool: 'send' },
    { outcome: 'cancelled' as const, atMs: atMs + 3_600_000 },
    { outcome: 'started' as const },
    { method: 'tools/call _meta' },
    { method: 'approval requested' },
    { method: 'tools/list' },
    { principal: createPrincipal('other') },
    { atMs: atMs - 90_000_000 },
  ];
  for (const overrides of more) await audit.record(createEntry({ atMs, ...overrides }));
  const byTool = await createUsageReport(audit, { ...range, by: 'tool' });
  t.match(byTool.total, { calls: 23, errors: 1, denied: 1, cancelled: 1 });
  t.match(byTool.items, [
    { id: 'tickets__create', calls: 22, errors: 0, p50_ms: 10, p95_ms: 19 },
    { id: 'mail__send', calls: 1, errors: 1, p50_ms: 500 },
  ]);
  t.equal(byTool.is_partial, false);
  const byPerson = await createUsageReport(audit, { ...range, by: 'person' });
  t.match(byPerson.items, [
    { id: 'id-of-Ana', name: 'Ana', calls: 22 },
    { id: 'id-of-Max', name: 'Max', calls: 1, denied: 1, p50_ms: null },
  ]);
  const byDay = await createUsageReport(audit, { ...range, by: 'day' });
  t.match(byDay.items, [{ id: '2026-11-20' }, { id: '2026-11-21', calls: 1, cancelled: 1 }]);
  const ofMax = await createUsageReport(audit, { ...range, by: 'token', person: 'id-of-Max' });
  t.match(ofMax, { total: { calls: 1 }, items: [{ id: 'token token-of-Max', name: 'laptop' }] });
  t.match(await createUsageReport(audit, { ...range, by: 'client' }), { items: [{ id: 'agent', calls: 23 }] });
  const empty = await createUsageReport(audit, { ...range, hubId: 'id-of-nothing', by: 'tool' });
  t.match(empty, { items: [], total: { calls: 0, p50_ms: null } });
});

t.test('tokens are a quarter of the bytes', async (t) => {
  const { audit } = await openTestAudit(t);
  await audit.record(createEntry({ atMs, requestBytes: 101, responseBytes: 300 }));
  const { items } = await createUsageReport(audit, { ...range, by: 'connection' });
  t.match(items, [{ name: 'tickets', request_bytes: 101, answer_bytes: 300, estimated_tokens: 101 }]);
});

t.test('a spreadsheet evaluates nothing of an export', async (t) => {
  const { audit } = await openTestAudit(t);
  const principal = createPrincipal('acme', 'Ana', { client: { name: '=HYPERLINK("x",1)', version: '1' } });
  await audit.record(createEntry({ atMs, principal }));
  const usage = await createUsageReport(audit, { ...range, by: 'client' });
  t.match(formatUsageCsv(usage), /^id,name,calls,.*\r\n"'=HYPERLINK\(""x"",1\)","'=HYPERLINK\(""x"",1\)",1,0,0,0,/);
});
