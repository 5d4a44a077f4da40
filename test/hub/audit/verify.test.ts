/** Whoever changes the audit's file without its key is found out. */
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { openAudit } from '../../../src/hub/audit/audit-log.ts';
import { aCall, faultsOf, type OpenedAudit, openedAudit, principalOf, verdictsOf } from './opened.ts';

/** Ten calls, the file closed. */
async function written(t: Test, count = 10): Promise<OpenedAudit> {
  const opened = await openedAudit(t);
  for (let at = 1; at <= count; at += 1) await opened.audit.record(aCall({ requestId: `r-${at}` }));
  await opened.audit.close();
  return opened;
}

/** Does to the file what somebody with SQLite could do. */
function tampered({ file }: OpenedAudit, sql: string): void {
  const sqlite = new Sqlite(file);
  sqlite.exec(sql);
  sqlite.close();
}

t.test('what was written is found as it was written', async (t) => {
  const opened = await written(t);
  t.match(verdictsOf(opened), [
    { hub: 'acme', firstSeq: 1, lastSeq: 10, entries: 10, head: /^[0-9a-f]{64}$/, faults: [] },
  ]);
});

const harms: readonly (readonly [what: string, sql: string, found: readonly string[]])[] = [
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

for (const [what, sql, found] of harms) {
  t.test(`it shows where ${what}`, async (t) => {
    const opened = await written(t);
    tampered(opened, sql);
    t.strictSame(faultsOf(opened), found);
  });
}

t.test('erased arguments leave the chain whole', async (t) => {
  const opened = await written(t);
  tampered(opened, 'DELETE FROM arguments WHERE entry < 5; UPDATE arguments SET text = NULL WHERE entry = 6');
  t.strictSame(faultsOf(opened), []);
});

t.test('another master key does not open it', async (t) => {
  const { folder, clock } = await written(t);
  const other = { id: 0, bytes: Buffer.alloc(32, 8) };
  const options = { folder, masterKey: other, clock, random: systemRandom, onFault: () => undefined };
  await t.rejects(openAudit(options), { code: 'STORE_KEY_WRONG' });
});

t.test('each hub has a chain of its own, and rows cannot move between them', async (t) => {
  const opened = await openedAudit(t);
  for (let at = 0; at < 5; at += 1) {
    await Promise.all([
      opened.audit.record(aCall({ principal: principalOf('acme') })),
      opened.audit.record(aCall({ principal: principalOf('beta') })),
    ]);
  }
  await opened.audit.close();
  t.match(verdictsOf(opened), [
    { hub: 'acme', entries: 5, faults: [] },
    { hub: 'beta', entries: 5, faults: [] },
  ]);
  tampered(
    opened,
    `UPDATE entries SET hub = -hub WHERE seq = 3; UPDATE entries SET hub = 2 WHERE hub = -1;
     UPDATE entries SET hub = 1 WHERE hub = -2`,
  );
  t.strictSame(faultsOf(opened), ['altered 3', 'altered 4', 'altered 3', 'altered 4']);
});

t.test('a chain that is being written is whole at every moment', async (t) => {
  const opened = await openedAudit(t);
  for (let round = 0; round < 10; round += 1) {
    const calls = Array.from({ length: 7 }, () => opened.audit.record(aCall()));
    await Promise.race(calls);
    t.strictSame(faultsOf(opened), []);
    await Promise.all(calls);
  }
  t.match(verdictsOf(opened), [{ entries: 70 }]);
});
