/** Changes of the audit's file without its key are detected. */
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { openAudit } from '../../../src/hub/audit/audit-log.ts';
import { createEntry, createPrincipal, listFaults, openTestAudit, type TestAudit, verifyAudit } from './test-audit.ts';

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

t.test('an unchanged audit verifies', async (t) => {
  const testAudit = await writeCalls(t);
  t.match(verifyAudit(testAudit), [
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
  ['kept arguments are exchanged', `UPDATE arguments SET text = '{}' WHERE entry = 4`, ['altered 4']],
  ['a checkpoint is exchanged', 'UPDATE checkpoints SET mac = randomblob(32)', ['altered 10']],
];

for (const [description, sql, expectedFaults] of tamperings) {
  t.test(`it is detected if ${description}`, async (t) => {
    const testAudit = await writeCalls(t);
    runSql(testAudit, sql);
    t.strictSame(listFaults(testAudit), expectedFaults);
  });
}

t.test('erased arguments keep the chain valid', async (t) => {
  const testAudit = await writeCalls(t);
  runSql(testAudit, 'DELETE FROM arguments WHERE entry < 5; UPDATE arguments SET text = NULL WHERE entry = 6');
  t.strictSame(listFaults(testAudit), []);
});

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
  t.match(verifyAudit(testAudit), [
    { hub: 'acme', entries: 5, faults: [] },
    { hub: 'beta', entries: 5, faults: [] },
  ]);
  runSql(
    testAudit,
    `UPDATE entries SET hub = -hub WHERE seq = 3; UPDATE entries SET hub = 2 WHERE hub = -1;
     UPDATE entries SET hub = 1 WHERE hub = -2`,
  );
  t.strictSame(listFaults(testAudit), ['altered 3', 'altered 4', 'altered 3', 'altered 4']);
});

t.test('a chain is valid at every moment while it is written', async (t) => {
  const testAudit = await openTestAudit(t);
  for (let round = 0; round < 10; round += 1) {
    const calls = Array.from({ length: 7 }, () => testAudit.audit.record(createEntry()));
    await Promise.race(calls);
    t.strictSame(listFaults(testAudit), []);
    await Promise.all(calls);
  }
  t.match(verifyAudit(testAudit), [{ entries: 70 }]);
});
