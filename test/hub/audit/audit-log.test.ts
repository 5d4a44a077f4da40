/** Calls are written, found, exported, kept bounded, and never lost in silence. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import t from 'tap';
import type { AuditCall } from '../../../src/contract/hub-audit-api.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { auditForms } from '../../../src/hub/audit/formats/formats.ts';
import { keptArguments } from '../../../src/hub/audit/kept-arguments.ts';
import { auditOutcomes } from '../../../src/hub/words.ts';
import { aCall, faultsOf, openedAudit, principalOf, verdictsOf } from './opened.ts';

const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

t.test('a call is there when its record resolves, with everything that is told of it', async (t) => {
  const { audit } = await openedAudit(t);
  await audit.record(aCall({ outcome: 'denied', reason: 'read-only' }));
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

t.test('the same arguments have another digest each time', async (t) => {
  const { audit } = await openedAudit(t);
  await Promise.all([audit.record(aCall()), audit.record(aCall())]);
  const { items } = await audit.search('id-of-acme', { limit: 10 });
  t.equal(items.length, 2);
  t.not(items[0]?.arguments_digest, items[1]?.arguments_digest);
});

t.test('every filter finds its calls, newest first, in pages', async (t) => {
  const { audit } = await openedAudit(t);
  const start = Date.UTC(2026, 10, 20);
  for (let at = 0; at < 120; at += 1) {
    const person = at % 3 === 0 ? 'Ana' : 'Max';
    await audit.record(
      aCall({
        atMs: start + at * 1000,
        principal: principalOf('acme', person),
        tool: at % 2 === 0 ? 'create' : 'list',
        connection: { id: 'c', name: at % 5 === 0 ? 'wiki' : 'tickets' },
        outcome: at % 10 === 0 ? 'tool_error' : 'ok',
        requestId: `r-${at}`,
      }),
    );
  }
  await audit.record(aCall({ principal: principalOf('beta') }));
  const seqs = async (wanted: object): Promise<number[]> => {
    const found: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await audit.search('id-of-acme', { limit: 7, cursor, ...wanted });
      found.push(...page.items.map(({ seq }) => seq));
      cursor = page.next;
    } while (cursor !== undefined);
    return found;
  };
  const expected = (test: (at: number) => boolean): number[] =>
    Array.from({ length: 120 }, (_, at) => at)
      .filter(test)
      .map((at) => at + 1)
      .reverse();
  t.strictSame(
    await seqs({}),
    expected(() => true),
  );
  t.strictSame(
    await seqs({ person: 'id-of-Ana' }),
    expected((at) => at % 3 === 0),
  );
  t.strictSame(
    await seqs({ token: 'token-of-Max' }),
    expected((at) => at % 3 !== 0),
  );
  t.strictSame(
    await seqs({ tool: 'list', connection: 'wiki' }),
    expected((at) => at % 2 === 1 && at % 5 === 0),
  );
  t.strictSame(
    await seqs({ outcome: 'tool_error' }),
    expected((at) => at % 10 === 0),
  );
  t.strictSame(
    await seqs({ outcome: 'ok', person: 'id-of-Ana' }),
    expected((at) => at % 10 !== 0 && at % 3 === 0),
  );
  t.strictSame(await seqs({ requestId: 'r-77' }), [78]);
  t.strictSame(await seqs({ fromMs: start + 10_000, toMs: start + 12_000 }), [13, 12, 11]);
  t.strictSame(await seqs({ tool: 'nothing' }), []);
  t.same(await audit.search('id-of-nobody', { limit: 7 }), { items: [], next: undefined });
  await t.rejects(audit.search('id-of-acme', { limit: 7, cursor: 'x' }), { code: 'REQUEST_INVALID' });
});

t.test('a question that finds little among much ends, and goes on where it stopped', async (t) => {
  const { audit } = await openedAudit(t);
  const calls = Array.from({ length: 7000 }, (_, at) =>
    aCall({ connection: { id: 'c', name: at === 3 ? 'rare' : 'usual' }, redact: { keep: false, hide: [] } }),
  );
  await Promise.all(calls.map((call) => audit.record(call)));
  const first = await audit.search('id-of-acme', { limit: 5, connection: 'rare' });
  t.same(first.items, []);
  t.equal(first.lookedUntilMs, aCall().atMs, 'it says how far back it looked');
  const second = await audit.search('id-of-acme', { limit: 5, connection: 'rare', cursor: first.next });
  t.match(second, { items: [{ seq: 4 }], next: undefined, lookedUntilMs: undefined });
});

t.test('whoever follows a hub gets its calls, and no others', async (t) => {
  const { audit } = await openedAudit(t);
  const seen: AuditCall[] = [];
  const stop = audit.tail('id-of-acme', (call) => seen.push(call));
  await audit.record(aCall());
  await audit.record(aCall({ principal: principalOf('beta') }));
  stop();
  await audit.record(aCall());
  t.match(seen, [{ hub: 'acme', seq: 1 }]);
  t.equal(seen.length, 1);
});

t.test('old rows and old arguments go, and what stays is provable', async (t) => {
  const dayMs = 86_400_000;
  const opened = await openedAudit(t, { maxAgeMs: 10 * dayMs, argumentsMaxAgeMs: 3 * dayMs });
  const { audit, clock } = opened;
  for (let day = 0; day < 20; day += 1) {
    await audit.record(aCall({ atMs: clock.nowMs() }));
    clock.advance(dayMs);
  }
  await audit.retain();
  const { items } = await audit.search('id-of-acme', { limit: 50 });
  t.strictSame(
    items.map(({ seq }) => seq),
    [20, 19, 18, 17, 16, 15, 14, 13, 12, 11],
  );
  t.strictSame(items.map((call) => call.arguments !== null).filter((kept) => kept).length, 3);
  t.match(await audit.state('id-of-acme'), { first_seq: 11, last_seq: 20, problem: null });
  t.match(verdictsOf(opened), [{ firstSeq: 11, lastSeq: 20, entries: 10, faults: [] }]);
  await audit.record(aCall({ atMs: clock.nowMs() }));
  t.strictSame(faultsOf(opened), []);
});

t.test('arguments that were erased are not in the file any more', async (t) => {
  const { audit, clock, file } = await openedAudit(t, { argumentsMaxAgeMs: 1000 });
  await audit.record(aCall({ atMs: clock.nowMs(), arguments: { title: 'a quarrel with the neighbour' } }));
  clock.advance(2000);
  await audit.record(aCall({ atMs: clock.nowMs(), arguments: { title: 'a talk with the neighbour' } }));
  await audit.retain();
  const bytes = Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)]);
  t.ok(bytes.includes('a talk with'));
  t.notOk(bytes.includes('a quarrel with'), 'nor in its log');
});

t.test('what grows old by itself is erased in the log of the file too', async (t) => {
  const { audit, clock, file } = await openedAudit(t, { argumentsMaxAgeMs: 60_000 });
  await audit.record(aCall({ atMs: clock.nowMs(), arguments: { title: 'a quarrel with the neighbour' } }));
  const isKept = (): boolean =>
    [file, `${file}-wal`].some((name) => existsSync(name) && readFileSync(name).includes('a quarrel with'));
  t.ok(isKept());
  for (let round = 0; isKept() && round < 500; round += 1) {
    clock.advance(30_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  t.notOk(isKept());
});

t.test('old rows go although nobody calls any more', async (t) => {
  const { audit, clock } = await openedAudit(t, { maxAgeMs: 3_600_000 });
  await audit.record(aCall({ atMs: clock.nowMs() }));
  await audit.secure();
  clock.advance(7_200_000);
  const state = () => audit.state('id-of-acme');
  for (let round = 0; (await state()).first_seq !== null && round < 500; round += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  t.match(await state(), { first_seq: null, last_seq: null, problem: null });
});

t.test('the file keeps to its size, the hub with the most rows gives way, and the chains hold', async (t) => {
  const maxBytes = 2_000_000;
  const opened = await openedAudit(t, { maxBytes });
  const { audit, clock, file } = opened;
  await audit.record(aCall({ principal: principalOf('quiet') }));
  for (let round = 0; round < 100; round += 1) {
    await Promise.all(Array.from({ length: 100 }, () => audit.record(aCall())));
    clock.advance(50);
    await audit.secure();
  }
  await audit.retain();
  t.ok(statSync(file).size < maxBytes * 1.5, `${statSync(file).size} bytes`);
  t.ok((await audit.state('id-of-acme')).used_bytes <= maxBytes);
  t.match(await audit.search('id-of-quiet', { limit: 5 }), { items: [{ seq: 1 }] });
  const [quiet, loud] = verdictsOf(opened);
  t.match(quiet, { hub: 'quiet', firstSeq: 1, faults: [] });
  t.match(loud, { hub: 'acme', lastSeq: 10_000, faults: [] });
  t.ok((loud?.firstSeq ?? 0) > 1000);
});

/** An audit that may not grow at all, as on a full disk. */
const full = { leaveFreeBytes: Number.MAX_SAFE_INTEGER };

t.test('while the disk is full calls are refused before they go out, and the gap is told later', async (t) => {
  const opened = await openedAudit(t);
  const { audit, clock, faults } = opened;
  await audit.record(aCall());
  await audit.close();

  const blocked = await openedAudit(t, full, { folder: opened.folder, clock });
  await blocked.audit.secure();
  t.throws(() => blocked.audit.ready(aCall()), { code: 'AUDIT_UNAVAILABLE', cure: /free space/ });
  await t.rejects(blocked.audit.record(aCall({ requestId: 'late' })), { code: 'AUDIT_UNAVAILABLE' });
  t.match(await blocked.audit.state('id-of-acme'), { problem: /disk of the store .* is full/ });
  t.match(blocked.faults, [{ code: 'STORE_DISK_FULL' }], 'told once');
  await blocked.audit.close();
  t.same(faults, []);
  t.strictSame(faultsOf(opened), []);
});

t.test('when there is room again, what was called meanwhile is written with a note of the gap', async (t) => {
  const opened = await openedAudit(t);
  const { audit, clock } = opened;
  await audit.record(aCall());
  const room = blocking(opened.file);
  room.take();
  await t.rejects(audit.record(aCall({ requestId: 'late' })), { code: 'AUDIT_UNAVAILABLE' });
  t.throws(() => audit.ready(aCall()), { code: 'AUDIT_UNAVAILABLE' });
  t.throws(() => audit.ready(aCall()), { code: 'AUDIT_UNAVAILABLE' });
  room.give();
  clock.advance(1000);
  await audit.secure();
  audit.ready();
  const { items } = await audit.search('id-of-acme', { limit: 10 });
  t.match(items, [
    { seq: 3, method: 'audit/gap', outcome: 'failed', reason: /2 calls were refused, 0 went out without a row/ },
    { seq: 2, request_id: 'late' },
    { seq: 1 },
  ]);
  t.strictSame(faultsOf(opened), []);
});

t.test('where it is set so, calls go on while the audit cannot be written', async (t) => {
  const opened = await openedAudit(t, { whenUnwritable: 'continue' });
  const { audit } = opened;
  await audit.record(aCall());
  const room = blocking(opened.file);
  room.take();
  for (let at = 0; at < 1200; at += 1) await audit.record(aCall());
  audit.ready();
  room.give();
  await audit.secure();
  const { items } = await audit.search('id-of-acme', { limit: 1 });
  t.match(items, [{ seq: 1002, method: 'audit/gap', reason: /0 calls were refused, 200 went out without a row/ }]);
  t.strictSame(faultsOf(opened), []);
});

t.test('strict calls wait until their row is safe against a power cut', async (t) => {
  const { audit, clock } = await openedAudit(t, { strict: true });
  let isSafe = false;
  const recorded = audit.record(aCall()).then(() => {
    isSafe = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.match((await audit.search('id-of-acme', { limit: 1 })).items, [{ seq: 1 }]);
  t.equal(isSafe, false);
  clock.advance(50);
  await recorded;
  t.equal(isSafe, true);
});

t.test('what is recorded while the disk is waited for is made safe as well', async (t) => {
  const { audit, clock } = await openedAudit(t, { strict: true });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  let waiting = 0;
  const settled = async (): Promise<void> => {
    for (let turns = 0; waiting > 0 && turns < 10_000; turns += 1) {
      await turn();
      clock.advance(50);
    }
  };
  for (let round = 0; round < 20; round += 1) {
    waiting += 1;
    void audit.record(aCall()).then(() => {
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

t.test('a closed audit takes nothing', async (t) => {
  const { audit } = await openedAudit(t);
  await audit.close();
  await t.rejects(audit.record(aCall()), { code: 'STORE_CLOSED' });
});

t.test('a row that cannot be read is told as damaged', async (t) => {
  const opened = await openedAudit(t);
  await opened.audit.record(aCall());
  const sqlite = new Sqlite(opened.file);
  sqlite.exec(`UPDATE entries SET body = '{}'`);
  sqlite.close();
  await t.rejects(opened.audit.search('id-of-acme', { limit: 1 }), { code: 'AUDIT_DAMAGED' });
});

t.test('names cannot break lines, and what is not JSON is told in words', async (t) => {
  const { audit } = await openedAudit(t);
  let deep: unknown = 'x';
  for (let at = 0; at < 100_000; at += 1) deep = [deep];
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  await audit.record(aCall({ tool: 'a\r\nb\u202e\u200b', requestId: 'x'.repeat(5000), arguments: circle }));
  await audit.record(aCall({ arguments: deep }));
  await audit.record(aCall({ arguments: undefined }));
  const { items } = await audit.search('id-of-acme', { limit: 10 });
  t.match(items[2], { tool: 'a��b��', request_id: /^x{300}$/, arguments: /nested too deep/ });
  t.match(items[1], { arguments: /nested too deep/ });
  t.match(items[0], { arguments: null, kept_digest: null });
});

t.test('secrets in arguments are not kept', async (t) => {
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
  const bare = ['abcdefghijklmnop', 'eyJzdWIi', 'aaaaaaaaaa', 'A1A1A1', 'IOSFODNN7', 'hunter2', 'QUJDQUJD'];
  for (const secret of secrets) {
    const kept = keptArguments({ text: `see ${secret} there`, deep: [{ [secret]: secret }] }, { keep: true, hide: [] });
    t.notOk(
      bare.some((part) => kept?.includes(part)),
      String(kept),
    );
    t.match(kept, /see .*there/s);
  }
  const hide = ['/a/0', '/b~1c'];
  t.equal(
    keptArguments({ a: ['x', 'y'], 'b/c': { d: 1 } }, { keep: true, hide }),
    '{"a":["[hidden]","y"],"b/c":"[hidden]"}',
  );
  t.equal(keptArguments({ a: 1 }, { keep: false, hide: [] }), undefined);
});

t.test('what is kept of arguments is JSON and bounded, whatever they are', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const kept = keptArguments({ value }, { keep: true, hide: [] });
      if (kept === undefined) return false;
      JSON.parse(kept);
      return kept.length <= 8192;
    }),
  );
});

t.test('secrets are looked for in linear time', async (t) => {
  const hostile = [
    '-----BEGIN A PRIVATE KEY-----'.repeat(5000),
    'password password '.repeat(9000),
    'a://b:'.repeat(9000),
  ];
  const startMs = systemClock.monotonicMs();
  for (const text of hostile)
    keptArguments({ text, list: Array.from({ length: 50 }, () => text) }, { keep: true, hide: [] });
  t.ok(systemClock.monotonicMs() - startMs < 2000);
});

t.test('all forms of the export say all calls', async (t) => {
  const { audit } = await openedAudit(t);
  for (const [at, outcome] of auditOutcomes.entries()) {
    const person = at === 0 ? '=HYPERLINK("x")' : 'Ana, "the" boss';
    await audit.record(
      aCall({ outcome, principal: principalOf('acme', person), reason: outcome === 'ok' ? undefined : 'why' }),
    );
  }
  const all: AuditCall[] = [];
  for await (const calls of audit.calls('id-of-acme', everything)) all.push(...calls);
  t.equal(all.length, 6);
  const lines = auditForms.jsonl.text(all).trimEnd().split('\n');
  t.same(
    lines.map((line) => JSON.parse(line)),
    all,
  );
  const table = auditForms.csv.head + auditForms.csv.text(all);
  t.match(table, /^hub_id,hub,seq,at,.*,arguments\r\n/);
  t.match(table, `"'=HYPERLINK(""x"")"`);
  t.match(table, '"Ana, ""the"" boss"');
  const { resourceLogs } = JSON.parse(auditForms.otel.text(all));
  const [record] = resourceLogs[0].scopeLogs[0].logRecords;
  t.match(record, {
    timeUnixNano: /^\d{19}$/,
    severityText: 'INFO',
    body: { stringValue: /tools\/call tickets create: ok/ },
  });
  t.ok(record.attributes.some(({ key }: { key: string }) => key === 'gen_ai.tool.name'));
  t.equal(auditForms.otel.text([]), '');
});

/** Holds the file's write lock as another writer would: our writes fail at once, as they do on a full disk. */
function blocking(file: string): { take(): void; give(): void } {
  const sqlite = new Sqlite(file);
  return {
    take: () => void sqlite.exec('BEGIN EXCLUSIVE'),
    give() {
      sqlite.exec('ROLLBACK');
      sqlite.close();
    },
  };
}
