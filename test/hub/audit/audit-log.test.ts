/** Calls are written, found, exported, bounded, and never lost silently. */
import fc from 'fast-check';
import t from 'tap';
import type { AuditCall } from '../../../src/contract/hubs/audit-api.ts';
import { auditOutcomes } from '../../../src/hub/audit/audit-entry.ts';
import { auditFormatters } from '../../../src/hub/audit/formats/formats.ts';
import { redactArguments } from '../../../src/hub/audit/redacted-arguments.ts';
import { listAuditEnds } from '../../../src/store/audit/chains.ts';
import { listAuditEntriesAfter } from '../../../src/store/audit/entries.ts';
import { eventually } from '../../eventually.ts';
import {
  createEntry,
  createPrincipal,
  listFaults,
  openTestAudit,
  readTestAudit,
  runAuditSql,
  type TestAudit,
  verifyAudit,
} from './test-audit.ts';

/** How far each chain is known to be on the disk. */
async function readCheckpoints(audit: TestAudit): Promise<number[]> {
  return (await readTestAudit(audit, listAuditEnds)).map(({ seq }) => seq);
}

const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

t.test('a call is stored with all its details when its record resolves', async (t) => {
  const { audit } = await openTestAudit(t);
  await audit.record(createEntry({ outcome: 'denied', reason: 'read-only' }));
  const { items, next } = await audit.search('id-of-acme', { limit: 10 });
  t.equal(next, undefined);
  t.match(items, [
    {
      hub: 'acme',
      seq: 1,
      at: '2026-11-20T14:30:00.000Z',
      person_id: 'id-of-Ana',
      person: 'Ana',
      via: 'token',
      via_id: 'token-of-Ana',
      via_name: 'laptop',
      client: 'agent',
      client_version: '1.2.3',
      method: 'tools/call',
      connection: 'tickets',
      tool: 'create',
      outcome: 'denied',
      reason: 'read-only',
      duration_ms: 12.5,
      request_bytes: 120,
      answer_bytes: 900,
      request_id: 'r-1',
      arguments_digest: /^[\w-]{43}$/,
      arguments: '{"title":"Broken door"}',
    },
  ]);
});

t.test('a row is the same whether or not it was prepared before the outcome', async (t) => {
  const test = await openTestAudit(t);
  const { audit } = test;
  const redact = { keep: true, hide: ['/password'] };
  const entry = createEntry({
    redact,
    arguments: { title: 'Café\u0000', password: 'x' },
    outcome: 'timeout',
    intentSeq: 7,
  });
  const { outcome: _outcome, ...call } = entry;
  const prepared = audit.prepare?.(call);
  t.ok(prepared);
  await audit.record(entry);
  await audit.record({ ...entry, prepared });
  const [second, first] = (await audit.search('id-of-acme', { limit: 10 })).items;
  const different = { seq: 0, arguments_digest: '', kept_digest: '' };
  t.same({ ...second, ...different }, { ...first, ...different });
  t.equal(second?.arguments_digest, prepared?.digests.arguments_digest);
  t.not(second?.arguments_digest, first?.arguments_digest);
  const rows = await readTestAudit(test, (sql) => listAuditEntriesAfter(sql, 1, 0, 10));
  const keys = rows.map(({ id: _id, seq: _seq, mac: _mac, salt: _salt, body: _body, ...row }) => row);
  t.same(keys[0], keys[1]);
  t.same(
    rows.map(({ body }) => Object.keys(JSON.parse(body)).join()),
    Array(2).fill(
      Object.keys(first ?? {})
        .filter((name) => name !== 'arguments')
        .join(),
    ),
    'members of the attested JSON keep their order',
  );
});

t.test('equal arguments have different digests', async (t) => {
  const { audit } = await openTestAudit(t);
  await Promise.all([audit.record(createEntry()), audit.record(createEntry())]);
  const { items } = await audit.search('id-of-acme', { limit: 10 });
  t.equal(items.length, 2);
  t.not(items[0]?.arguments_digest, items[1]?.arguments_digest);
});

t.test('every filter finds its calls, newest first, in pages', async (t) => {
  const { audit } = await openTestAudit(t);
  const start = Date.UTC(2026, 10, 20);
  for (let index = 0; index < 120; index += 1) {
    const person = index % 3 === 0 ? 'Ana' : 'Max';
    await audit.record(
      createEntry({
        atMs: start + index * 1000,
        principal: createPrincipal('acme', person),
        tool: index % 2 === 0 ? 'create' : 'list',
        connection: { id: 'c', name: index % 5 === 0 ? 'wiki' : 'tickets' },
        outcome: index % 10 === 0 ? 'tool_error' : 'ok',
        requestId: `r-${index}`,
      }),
    );
  }
  await audit.record(createEntry({ principal: createPrincipal('beta') }));
  const seqs = async (filter: object): Promise<number[]> => {
    const seqNumbers: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await audit.search('id-of-acme', { limit: 7, cursor, ...filter });
      seqNumbers.push(...page.items.map(({ seq }) => seq));
      cursor = page.next;
    } while (cursor !== undefined);
    return seqNumbers;
  };
  const expected = (test: (index: number) => boolean): number[] =>
    Array.from({ length: 120 }, (_, index) => index)
      .filter(test)
      .map((index) => index + 1)
      .reverse();
  t.strictSame(
    await seqs({}),
    expected(() => true),
  );
  t.strictSame(
    await seqs({ person: 'id-of-Ana' }),
    expected((index) => index % 3 === 0),
  );
  t.strictSame(
    await seqs({ token: 'token-of-Max' }),
    expected((index) => index % 3 !== 0),
  );
  t.strictSame(
    await seqs({ tool: 'list', connection: 'wiki' }),
    expected((index) => index % 2 === 1 && index % 5 === 0),
  );
  t.strictSame(
    await seqs({ outcome: 'tool_error' }),
    expected((index) => index % 10 === 0),
  );
  t.strictSame(
    await seqs({ outcome: 'ok', person: 'id-of-Ana' }),
    expected((index) => index % 10 !== 0 && index % 3 === 0),
  );
  t.strictSame(await seqs({ requestId: 'r-77' }), [78]);
  t.strictSame(await seqs({ fromMs: start + 10_000, toMs: start + 12_000 }), [13, 12, 11]);
  t.strictSame(await seqs({ tool: 'nothing' }), []);
  t.same(await audit.search('id-of-nobody', { limit: 7 }), { items: [], next: undefined });
  await t.rejects(audit.search('id-of-acme', { limit: 7, cursor: 'x' }), { code: 'CURSOR_INVALID' });
});

t.test('a search with few matches among many rows stops early, and can be continued', async (t) => {
  const { audit } = await openTestAudit(t);
  const calls = Array.from({ length: 7000 }, (_, index) =>
    createEntry({ connection: { id: 'c', name: index === 3 ? 'rare' : 'usual' }, redact: { keep: false, hide: [] } }),
  );
  // A database ends a transaction in which its client computes for seconds.
  for (let index = 0; index < calls.length; index += 500)
    await Promise.all(calls.slice(index, index + 500).map((call) => audit.record(call)));
  const first = await audit.search('id-of-acme', { limit: 5, connection: 'rare' });
  t.same(first.items, []);
  t.equal(first.searchedUntilMs, createEntry().atMs, 'it reports how far back it searched');
  const second = await audit.search('id-of-acme', { limit: 5, connection: 'rare', cursor: first.next });
  t.match(second, { items: [{ seq: 4 }], next: undefined, searchedUntilMs: undefined });
});

t.test('a listener of a hub gets its calls and no others', async (t) => {
  const { audit } = await openTestAudit(t);
  const receivedCalls: AuditCall[] = [];
  const stop = audit.tail('id-of-acme', (call) => receivedCalls.push(call));
  await audit.record(createEntry());
  await audit.record(createEntry({ principal: createPrincipal('beta') }));
  stop();
  await audit.record(createEntry());
  t.match(receivedCalls, [{ hub: 'acme', seq: 1 }]);
  t.equal(receivedCalls.length, 1);
});

t.test('old rows and arguments are deleted, and the rest verifies', async (t) => {
  const dayMs = 86_400_000;
  const testAudit = await openTestAudit(t, { maxAgeMs: 10 * dayMs, argumentsMaxAgeMs: 3 * dayMs });
  const { audit, clock } = testAudit;
  for (let day = 0; day < 20; day += 1) {
    await audit.record(createEntry({ atMs: clock.nowMs() }));
    clock.advance(dayMs);
  }
  await audit.applyRetention();
  const { items } = await audit.search('id-of-acme', { limit: 50 });
  t.strictSame(
    items.map(({ seq }) => seq),
    [20, 19, 18, 17, 16, 15, 14, 13, 12, 11],
  );
  t.strictSame(items.map((call) => call.arguments !== null).filter((stored) => stored).length, 3);
  t.match(await audit.state('id-of-acme'), { first_seq: 11, last_seq: 20, problem: null });
  t.match(await verifyAudit(testAudit), [{ firstSeq: 11, lastSeq: 20, entries: 10, faults: [] }]);
  await audit.record(createEntry({ atMs: clock.nowMs() }));
  t.strictSame(await listFaults(testAudit), []);
});

t.test('old rows are deleted even without new calls', async (t) => {
  const { audit, clock } = await openTestAudit(t, { maxAgeMs: 3_600_000 });
  await audit.record(createEntry({ atMs: clock.nowMs() }));
  await audit.syncToDisk();
  clock.advance(7_200_000);
  const state = () => audit.state('id-of-acme');
  await eventually(state, { until: ({ first_seq }) => first_seq === null });
  t.match(await state(), { first_seq: null, last_seq: null, problem: null });
});

t.test('strict calls wait until their row is safe against a power cut, and no longer', async (t) => {
  const testAudit = await openTestAudit(t, { strict: true });
  const { audit } = testAudit;
  // Time stands still.
  await audit.record(createEntry());
  t.same(await readCheckpoints(testAudit), [1], 'the row and its checkpoint were synced together');
  await Promise.all([audit.record(createEntry()), audit.record(createEntry())]);
  t.same(await readCheckpoints(testAudit), [3]);
});

t.test('calls that are not strict do not wait for the disk', async (t) => {
  const testAudit = await openTestAudit(t);
  const { audit, clock } = testAudit;
  await audit.record(createEntry());
  t.same(await readCheckpoints(testAudit), []);
  clock.advance(50);
  await eventually(async () => (await readCheckpoints(testAudit)).length === 1);
});

t.test('rows recorded during a sync are synced as well', async (t) => {
  const { audit, clock } = await openTestAudit(t, { strict: true });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  let waiting = 0;
  const settled = () =>
    eventually(() => {
      clock.advance(50);
      return waiting === 0;
    });
  for (let round = 0; round < 20; round += 1) {
    waiting += 1;
    void audit.record(createEntry()).then(() => {
      waiting -= 1;
    });
    for (let turns = 0; turns < 3; turns += 1) await turn();
    clock.advance(50);
    if (round % 5 === 0) await settled();
  }
  await settled();
  t.equal(waiting, 0);
  t.equal((await audit.state('id-of-acme')).last_seq, 20);
});

t.test('a closed audit rejects calls', async (t) => {
  const { audit } = await openTestAudit(t);
  await audit.close();
  await t.rejects(audit.record(createEntry()), { code: 'STORE_CLOSED' });
});

t.test('an unreadable row is reported as damaged', async (t) => {
  const testAudit = await openTestAudit(t);
  await testAudit.audit.record(createEntry());
  await runAuditSql(testAudit, `UPDATE entries SET body = '{}'`);
  await t.rejects(testAudit.audit.search('id-of-acme', { limit: 1 }), { code: 'AUDIT_DAMAGED' });
});

t.test('names cannot break lines, and arguments that are not JSON get a placeholder', async (t) => {
  const { audit } = await openTestAudit(t);
  let deep: unknown = 'x';
  for (let index = 0; index < 100_000; index += 1) deep = [deep];
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  await audit.record(createEntry({ tool: 'a\r\nb\u202e\u200b', requestId: 'x'.repeat(5000), arguments: circle }));
  await audit.record(createEntry({ arguments: deep }));
  await audit.record(createEntry({ arguments: undefined }));
  const { items } = await audit.search('id-of-acme', { limit: 10 });
  t.match(items[2], { tool: 'a��b��', request_id: /^x{300}$/, arguments: /nested too deep/ });
  t.match(items[1], { arguments: /nested too deep/ });
  t.match(items[0], { arguments: null, kept_digest: null });
});

t.test('secrets in arguments are not stored', async (t) => {
  const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc-def_${'x'.repeat(20)}`;
  const secrets = [
    `Authorization: Bearer abcdefghijklmnop`,
    jwt,
    `vph_${'a'.repeat(43)}`,
    `ghp_${'A1'.repeat(18)}`,
    'AKIAIOSFODNN7EXAMPLE',
    'postgres://app:hunter2hunter2@db/app',
    'password=hunter2hunter2',
    `-----BEGIN RSA PRIVATE KEY-----\n${'QUJD'.repeat(50)}\n-----END RSA PRIVATE KEY-----`,
  ];
  const secretParts = ['abcdefghijklmnop', 'eyJzdWIi', 'aaaaaaaaaa', 'A1A1A1', 'IOSFODNN7', 'hunter2', 'QUJDQUJD'];
  for (const secret of secrets) {
    const stored = redactArguments(
      { text: `see ${secret} there`, deep: [{ [secret]: secret }] },
      { keep: true, hide: [] },
    );
    t.notOk(
      secretParts.some((part) => stored?.includes(part)),
      String(stored),
    );
    t.match(stored, /see .*there/s);
  }
  const hide = ['/a/0', '/b~1c'];
  t.equal(
    redactArguments({ a: ['x', 'y'], 'b/c': { d: 1 } }, { keep: true, hide }),
    '{"a":["[hidden]","y"],"b/c":"[hidden]"}',
  );
  t.equal(redactArguments({ a: 1 }, { keep: false, hide: [] }), undefined);
});

t.test('stored arguments are JSON and bounded, whatever they are', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const stored = redactArguments({ value }, { keep: true, hide: [] });
      if (stored === undefined) return false;
      JSON.parse(stored);
      return stored.length <= 8192;
    }),
  );
});

t.test('secrets are searched in linear time', async (t) => {
  const hostile = [
    '-----BEGIN A PRIVATE KEY-----'.repeat(5000),
    'password password '.repeat(9000),
    'a://b:'.repeat(9000),
  ];
  // A search whose time grows with the square of the text would take minutes, and the test would time out.
  for (const text of hostile)
    t.ok(redactArguments({ text, list: Array.from({ length: 50 }, () => text) }, { keep: true, hide: [] }));
});

t.test('all export formats contain all calls', async (t) => {
  const { audit } = await openTestAudit(t);
  for (const [index, outcome] of auditOutcomes.entries()) {
    const person = index === 0 ? '=HYPERLINK("x")' : 'Ana, "the" boss';
    await audit.record(
      createEntry({
        outcome,
        principal: createPrincipal('acme', person),
        reason: outcome === 'ok' ? undefined : 'why',
      }),
    );
  }
  const allCalls: AuditCall[] = [];
  for await (const calls of audit.calls('id-of-acme', everything)) allCalls.push(...calls);
  t.equal(allCalls.length, auditOutcomes.length);
  const lines = auditFormatters.jsonl.render(allCalls).trimEnd().split('\n');
  t.same(
    lines.map((line) => JSON.parse(line)),
    allCalls,
  );
  const table = auditFormatters.csv.header + auditFormatters.csv.render(allCalls);
  t.match(table, /^hub_id,hub,seq,at,.*,arguments\r\n/);
  t.match(table, `"'=HYPERLINK(""x"")"`);
  t.match(table, '"Ana, ""the"" boss"');
  const { resourceLogs } = JSON.parse(auditFormatters.otel.render(allCalls));
  const [record] = resourceLogs[0].scopeLogs[0].logRecords;
  t.match(record, {
    timeUnixNano: /^\d{19}$/,
    severityText: 'INFO',
    body: { stringValue: /tools\/call tickets create: ok/ },
  });
  t.ok(record.attributes.some(({ key }: { key: string }) => key === 'gen_ai.tool.name'));
  t.equal(auditFormatters.otel.render([]), '');
});

t.test('a large call that is being prepared when the audit is closed has its row', async (t) => {
  const testAudit = await openTestAudit(t);
  const { audit, errors } = testAudit;
  const recorded = audit.record(createEntry({ requestBytes: 900_000, arguments: { text: 'x'.repeat(900_000) } }));
  await audit.close();
  await recorded;
  t.strictSame(errors, []);
  t.match(await verifyAudit(testAudit), [{ entries: 1, faults: [] }]);
});
