/** Changes of the audit's file without its key are detected. */
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { createChainKeys, openAudit } from '../../../src/hub/audit/audit-log.ts';
import { computeChainSeal } from '../../../src/hub/audit/chain.ts';
import type { AuditChainRow } from '../../../src/store/audit/chains.ts';
import {
  createEntry,
  createPrincipal,
  listFaults,
  openTestAudit,
  readTestAuditKey,
  type TestAudit,
  verifyAudit,
} from './test-audit.ts';

/** Ten calls in a closed file. */
async function writeCalls(t: Test, count = 10): Promise<TestAudit> {
  const testAudit = await openTestAudit(t);
  for (let index = 1; index <= count; index += 1)
    await testAudit.audit.record(createEntry({ requestId: `r-${index}` }));
  await testAudit.audit.close();
  return testAudit;
}

/** Changes the file directly with SQLite. */
function runSql({ file }: TestAudit, sql: string): void {
  const sqlite = new Sqlite(file);
  sqlite.exec(sql);
  sqlite.close();
}

/** Takes back the second migration. */
async function toFirstVersion(testAudit: TestAudit): Promise<void> {
  const keys = createChainKeys(await readTestAuditKey(testAudit));
  const sqlite = new Sqlite(testAudit.file);
  const hubs = sqlite.prepare<[], AuditChainRow>('SELECT * FROM chains').all();
  for (const row of hubs) {
    const seal = computeChainSeal(keys(row.hub_id), { ...row, erased_seq: null });
    sqlite.prepare('UPDATE chains SET seal = ? WHERE hub = ?').run(seal, row.hub);
  }
  sqlite.exec(`DROP TABLE open_intents; DROP INDEX entries_by_intent; ALTER TABLE entries DROP COLUMN intent;
    ALTER TABLE chains DROP COLUMN erased_seq; PRAGMA user_version = 1`);
  sqlite.close();
}

t.test('an unchanged audit verifies', async (t) => {
  const testAudit = await writeCalls(t);
  t.match(await verifyAudit(testAudit), [
    { hub: 'acme', firstSeq: 1, lastSeq: 10, entries: 10, head: /^[0-9a-f]{64}$/, faults: [] },
  ]);
});

const tamperings: readonly (readonly [what: string, sql: string, found: readonly string[]])[] = [
  ['a row is removed', 'DELETE FROM entries WHERE seq = 4', ['removed 4']],
  ['several rows are removed', 'DELETE FROM entries WHERE seq BETWEEN 4 AND 6', ['removed 4']],
  ['the first row is removed', 'DELETE FROM entries WHERE seq = 1', ['removed 1']],
  ['a row is altered', `UPDATE entries SET body = replace(body, '"ok"', '"denied"') WHERE seq = 4`, ['altered 4']],
  ['a row is altered so that it cannot be read', `UPDATE entries SET body = 'x' WHERE seq = 4`, ['altered 4']],
  ['a row gets a mac of its own', 'UPDATE entries SET mac = randomblob(32) WHERE seq = 4', ['altered 4', 'altered 5']],
  ['a row is hidden from searches', 'UPDATE entries SET person_key = 1 WHERE seq = 4', ['altered 4']],
  ['a row is dated back', 'UPDATE entries SET at_ms = at_ms - 1000 WHERE seq = 4', ['altered 4']],
  [
    'two rows change places',
    'UPDATE entries SET seq = -1 WHERE seq = 4; UPDATE entries SET seq = 4 WHERE seq = 5; UPDATE entries SET seq = 5 WHERE seq = -1',
    ['reordered 4', 'reordered 5', 'altered 6'],
  ],
  ['the end is cut off', 'DELETE FROM entries WHERE seq > 7', ['truncated 8']],
  [
    'the end is cut off, and the chain says so',
    `DELETE FROM entries WHERE seq > 7;
     UPDATE chains SET head_seq = 7, head_mac = (SELECT mac FROM entries WHERE seq = 7);
     UPDATE checkpoints SET seq = 7, mac = (SELECT mac FROM entries WHERE seq = 7)`,
    ['seal'],
  ],
  [
    'the beginning is cut off as if by retention',
    `UPDATE chains SET before_seq = 3, before_mac = (SELECT mac FROM entries WHERE seq = 3);
     DELETE FROM entries WHERE seq <= 3`,
    ['seal'],
  ],
  [
    'a row is added behind the end',
    `INSERT INTO entries (hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac)
     SELECT hub, 11, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, replace(body, '"seq":10', '"seq":11'), mac
     FROM entries WHERE seq = 10`,
    ['altered 11'],
  ],
  [
    'a row is added before the beginning',
    `INSERT INTO entries (hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac)
     SELECT hub, 0, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac
     FROM entries WHERE seq = 10`,
    ['altered'],
  ],
  [
    'a row stands twice, once with another content',
    `DROP INDEX entries_by_seq;
     INSERT INTO entries (hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac)
     SELECT hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, 'x', mac
     FROM entries WHERE seq = 4`,
    ['altered'],
  ],
  ['kept arguments are exchanged', `UPDATE arguments SET text = '{}' WHERE entry = 4`, ['altered 4']],
  ['arguments are removed', 'DELETE FROM arguments WHERE entry = 4', ['erased 4']],
  ['arguments are emptied', 'UPDATE arguments SET text = NULL WHERE entry = 4', ['erased 4']],
  [
    'all arguments are removed, as in a file of 0.4.0',
    'DELETE FROM arguments; UPDATE chains SET erased_seq = NULL',
    ['seal'],
  ],
  ['a checkpoint is exchanged', 'UPDATE checkpoints SET mac = randomblob(32)', ['altered 10']],
];

for (const [description, sql, expectedFaults] of tamperings) {
  t.test(`it is detected if ${description}`, async (t) => {
    const testAudit = await writeCalls(t);
    runSql(testAudit, sql);
    t.strictSame(await listFaults(testAudit), expectedFaults);
  });
}

t.test('arguments that retention erases keep the chain valid, and it says up to where', async (t) => {
  const testAudit = await openTestAudit(t, { argumentsMaxAgeMs: 1000 });
  const { audit, clock } = testAudit;
  for (const hub of ['acme', 'beta', 'acme', 'acme'])
    await audit.record(createEntry({ atMs: clock.nowMs(), principal: createPrincipal(hub) }));
  clock.advance(2000);
  await audit.record(createEntry({ atMs: clock.nowMs() }));
  await audit.applyRetention();
  await audit.close();
  t.strictSame(await listFaults(testAudit), []);
  runSql(testAudit, 'UPDATE chains SET erased_seq = 4 WHERE hub = 1; DELETE FROM arguments');
  t.strictSame(await listFaults(testAudit), ['seal'], 'the position is under the seal');
  runSql(testAudit, 'UPDATE chains SET erased_seq = 3 WHERE hub = 1');
  t.strictSame(await listFaults(testAudit), ['erased 4']);
});

t.test(
  'in a file of 0.4.0, which said nothing about erased arguments, those missing now count as erased',
  async (t) => {
    const testAudit = await writeCalls(t);
    await toFirstVersion(testAudit);
    runSql(testAudit, 'DELETE FROM arguments WHERE entry < 5');
    t.strictSame(await listFaults(testAudit), [], 'it is verified as it is');
    const { audit } = await openTestAudit(t, {}, { folder: testAudit.folder });
    await audit.record(createEntry());
    await audit.close();
    t.strictSame(await listFaults(testAudit), []);
    runSql(testAudit, 'DELETE FROM arguments WHERE entry IN (4, 5)');
    t.strictSame(await listFaults(testAudit), ['erased 5']);
  },
);

t.test('another master key does not open the audit', async (t) => {
  const { folder, clock } = await writeCalls(t);
  const otherKey = { id: 0, bytes: Buffer.alloc(32, 8) };
  const options = { folder, masterKey: otherKey, clock, random: systemRandom, onError: () => undefined };
  await t.rejects(openAudit(options), { code: 'STORE_KEY_WRONG' });
});

t.test('each hub has its own chain, and rows cannot move between chains', async (t) => {
  const testAudit = await openTestAudit(t);
  for (let index = 0; index < 5; index += 1) {
    await Promise.all([
      testAudit.audit.record(createEntry({ principal: createPrincipal('acme') })),
      testAudit.audit.record(createEntry({ principal: createPrincipal('beta') })),
    ]);
  }
  await testAudit.audit.close();
  t.match(await verifyAudit(testAudit), [
    { hub: 'acme', entries: 5, faults: [] },
    { hub: 'beta', entries: 5, faults: [] },
  ]);
  runSql(
    testAudit,
    `UPDATE entries SET hub = -hub WHERE seq = 3; UPDATE entries SET hub = 2 WHERE hub = -1;
     UPDATE entries SET hub = 1 WHERE hub = -2`,
  );
  t.strictSame(await listFaults(testAudit), ['altered 3', 'altered 4', 'altered 3', 'altered 4']);
});

t.test('a chain is valid at every moment while it is written', async (t) => {
  const testAudit = await openTestAudit(t);
  for (let round = 0; round < 10; round += 1) {
    const calls = Array.from({ length: 7 }, () => testAudit.audit.record(createEntry()));
    await Promise.race(calls);
    t.strictSame(await listFaults(testAudit), []);
    await Promise.all(calls);
  }
  await testAudit.audit.syncToDisk();
  t.match(await verifyAudit(testAudit), [{ entries: 70 }]);
});
