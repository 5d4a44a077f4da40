/** A row before each call that is sent: every started call has an outcome, or a row that says that it is unknown. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import type { AuditEntry } from '../../../src/hub/audit/audit-entry.ts';
import type { AuditLog } from '../../../src/hub/audit/audit-log.ts';
import { isOnPostgres, skipOnPostgres } from '../../store/engine-under-test.ts';
import { createEntry, listFaults, openTestAudit, runAuditSql, verifyAudit } from './test-audit.ts';

async function startCall(audit: AuditLog, overrides: Partial<AuditEntry> = {}): Promise<number> {
  const entry = createEntry({ ...overrides, outcome: 'started', durationMs: 0, responseBytes: 0 });
  return (await audit.recordIntent?.(entry)) ?? 0;
}

async function listRows(audit: AuditLog) {
  const rows: string[] = [];
  for await (const calls of audit.calls('id-of-acme', { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }))
    for (const { seq, outcome, intent_seq: intent } of calls)
      rows.push(`${seq} ${outcome}${intent === undefined ? '' : ` of ${intent}`}`);
  return rows;
}

/** The folder as it is when the process is killed; a database goes on as it is. */
async function openKilled(t: Test, work: (audit: AuditLog) => Promise<void>) {
  const base = t.testdir({ live: {} });
  const { audit } = await openTestAudit(t, { intents: true }, { folder: join(base, 'live') });
  await work(audit);
  if (isOnPostgres) return join(base, 'live');
  const killed = join(base, 'killed');
  cpSync(join(base, 'live'), killed, { recursive: true });
  return killed;
}

t.test('without the setting there are no such rows', async (t) => {
  const { audit } = await openTestAudit(t);
  t.equal(audit.recordIntent, undefined);
});

t.test('the outcome refers to its intent, and a call is found once', async (t) => {
  const testAudit = await openTestAudit(t, { intents: true });
  const { audit } = testAudit;
  const [first, second] = await Promise.all([startCall(audit), startCall(audit, { requestId: 'r-2' })]);
  await audit.record(createEntry({ intentSeq: second, requestId: 'r-2' }));
  t.same(await listRows(audit), ['1 started', '2 started', '3 ok of 2']);
  const search = async (query: object) =>
    (await audit.search('id-of-acme', { limit: 10, ...query })).items.map(({ seq }) => seq);
  t.same(await search({}), [3, 1], 'the intent of a call with an outcome is left out');
  t.same(await search({ outcome: 'started' }), [1]);
  t.same(await search({ requestId: 'r-2' }), [3]);
  t.match(await audit.state('id-of-acme'), { open_calls: 1 });
  t.equal(await audit.countOpenCalls(), 1);
  await audit.record(createEntry({ intentSeq: first }));
  t.match(await audit.state('id-of-acme'), { open_calls: 0 });
  t.match(await verifyAudit(testAudit), [{ openCalls: 0, unknownCalls: 0, faults: [] }]);
});

t.test('after a kill, each call without an outcome gets one row that says so, and never two', async (t) => {
  const folder = await openKilled(t, async (audit) => {
    const seq = await startCall(audit);
    for (let index = 0; index < 3; index += 1) await startCall(audit, { requestId: `open-${index}` });
    await audit.record(createEntry({ intentSeq: seq }));
  });
  const first = await openTestAudit(t, { intents: true }, { folder });
  const expected = ['1 started', '2 started', '3 started', '4 started', '5 ok of 1'];
  const unknown = ['6 unknown of 2', '7 unknown of 3', '8 unknown of 4'];
  t.same(await listRows(first.audit), [...expected, ...unknown]);
  t.equal(await first.audit.countOpenCalls(), 0);
  t.equal(first.audit.unknownCalls, 3);
  const { items } = await first.audit.search('id-of-acme', { limit: 1, outcome: 'unknown', requestId: 'open-0' });
  t.match(items, [{ person: 'Ana', tool: 'create', at: '2026-11-20T14:30:00.000Z', reason: /may have been sent/ }]);
  await first.audit.close();
  // Also without the setting, and when the list of open calls says again what is settled.
  await runAuditSql(first, 'INSERT INTO open_intents VALUES (1, 2), (1, 5), (1, 99)');
  const second = await openTestAudit(t, {}, { folder });
  t.same(await listRows(second.audit), [...expected, ...unknown]);
  await second.audit.close();
  t.match(await verifyAudit(second), [{ openCalls: 0, unknownCalls: 3, faults: [] }]);
});

t.test('a kill before the calls are settled shows them as open', async (t) => {
  const folder = await openKilled(t, async (audit) => void (await startCall(audit)));
  const file = join(folder, 'audit.db');
  t.match(await verifyAudit({ file, folder }), [{ openCalls: 1, unknownCalls: 0, faults: [] }]);
});

t.test('retention leaves no half of a call', async (t) => {
  const dayMs = 86_400_000;
  const testAudit = await openTestAudit(t, { intents: true, maxAgeMs: 10 * dayMs });
  const { audit, clock } = testAudit;
  const record = async (startedDaysAgo: number): Promise<void> => {
    const atMs = clock.nowMs() - startedDaysAgo * dayMs;
    await audit.record(createEntry({ atMs, intentSeq: await startCall(audit, { atMs }) }));
  };
  await record(20);
  const slow = await startCall(audit, { atMs: clock.nowMs() - 15 * dayMs });
  await record(15);
  // Its outcome is young: a call has the time of its start only in its own rows.
  await audit.record(createEntry({ atMs: clock.nowMs(), intentSeq: slow }));
  await record(1);
  await audit.applyRetention();
  t.same(await listRows(audit), ['3 started', '4 started', '5 ok of 4', '6 ok of 3', '7 started', '8 ok of 7']);
  t.strictSame(await listFaults(testAudit), []);
});

t.test(
  'while intents cannot be written, calls are refused, or if configured sent without one',
  { skip: skipOnPostgres },
  async (t) => {
    for (const whenUnwritable of ['refuse', 'continue'] as const) {
      const folder = t.testdir();
      const { audit, file } = await openTestAudit(t, { intents: true, whenUnwritable }, { folder });
      const lock = new Sqlite(file);
      lock.exec('BEGIN EXCLUSIVE');
      if (whenUnwritable === 'refuse') await t.rejects(startCall(audit), { code: 'AUDIT_UNAVAILABLE' });
      else t.equal(await startCall(audit), 0);
      lock.exec('ROLLBACK');
      lock.close();
      await audit.close();
    }
  },
);
