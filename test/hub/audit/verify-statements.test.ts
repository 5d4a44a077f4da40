/** What attackers do to the audit with its file, and even with the master key, contradicts a statement that is kept elsewhere. */
import { copyFileSync, rmSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import {
  type AnchorStatement,
  createStatement,
  parseStatements,
  serializeSigned,
} from '../../../src/hub/audit/anchor-statement.ts';
import { createChainKeys } from '../../../src/hub/audit/audit-log.ts';
import { defaultAuditSettings } from '../../../src/hub/audit/audit-settings.ts';
import { computeChainSeal } from '../../../src/hub/audit/chain.ts';
import { countDeletedEntries, findStatementFaults } from '../../../src/hub/audit/verify-statements.ts';
import { listAuditChains, saveAuditChain } from '../../../src/store/audit/chains.ts';
import { openAuditDatabase, openAuditReader } from '../../../src/store/engine.ts';
import {
  createEntry,
  createPrincipal,
  listFaults,
  openTestAudit,
  readTestAuditKey,
  rechainEntries,
  type TestAudit,
} from './test-audit.ts';

const dayMs = 86_400_000;

/** Ten calls of Ana and Max in two hubs; `state` returns what is stated about them. */
async function writeStated(t: Test) {
  const testAudit = await openTestAudit(t);
  const { audit, clock } = testAudit;
  const write = async (count: number, hub = 'acme'): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const principal = createPrincipal(hub, index % 2 === 0 ? 'Ana' : 'Max');
      await audit.record(createEntry({ principal, atMs: clock.nowMs() }));
    }
  };
  const state = async (limits = {}): Promise<AnchorStatement> => {
    await audit.syncToDisk();
    return createStatement(
      await audit.ends(),
      clock.nowMs(),
      { ...defaultAuditSettings, maxBytes: 1e12, ...limits },
      undefined,
    );
  };
  await write(8);
  await write(2, 'beta');
  return { ...testAudit, write, state };
}

function compare({ file, clock }: TestAudit, ...statements: AnchorStatement[]): string[] {
  const reader = openAuditReader(file);
  try {
    const context = { nowMs: clock.nowMs(), usedBytes: 1 };
    const faults = reader.read((sql) => findStatementFaults(sql, statements, context));
    return faults.map(({ hubId, fault }) => `${hubId} ${fault.kind} ${fault.seq}`);
  } finally {
    reader.close();
  }
}

function runSql({ file }: TestAudit, text: string): void {
  const sqlite = new Sqlite(file);
  sqlite.exec(text);
  sqlite.close();
}

/** Removes what `remove` says, and writes valid chains over the rest, as whoever has the master key can. */
async function rechain(testAudit: TestAudit, remove: string): Promise<void> {
  const keys = createChainKeys(await readTestAuditKey(testAudit));
  runSql(
    testAudit,
    `DELETE FROM arguments WHERE entry IN (SELECT id FROM entries WHERE ${remove}); DELETE FROM entries WHERE ${remove}`,
  );
  const database = openAuditDatabase(testAudit.file, 1e9);
  await database.writeDurably((sql) => rechainEntries(sql, keys));
  await database.close();
}

/** Says that retention did something, with a valid seal. */
async function reseal(testAudit: TestAudit, members: string, text: string): Promise<void> {
  const keys = createChainKeys(await readTestAuditKey(testAudit));
  runSql(testAudit, `UPDATE chains SET ${members} WHERE hub_id = 'id-of-acme'; ${text}`);
  const database = openAuditDatabase(testAudit.file, 1e9);
  await database.writeDurably((sql) => {
    for (const chain of listAuditChains(sql))
      saveAuditChain(sql, { ...chain, seal: computeChainSeal(keys(chain.hub_id), chain) });
  });
  await database.close();
}

t.test('an audit that went on agrees with all statements', async (t) => {
  const stated = await writeStated(t);
  const first = await stated.state();
  await stated.write(3);
  await stated.write(1, 'gamma');
  const second = await stated.state();
  t.same(compare(stated, first, first, second), []);
  t.same(
    second.chains.map(({ hub_id, seq }) => `${hub_id} ${seq}`),
    ['id-of-acme 11', 'id-of-beta 2', 'id-of-gamma 1'],
  );
});

t.test('a removed chain with its rows', async (t) => {
  const stated = await writeStated(t);
  const statement = await stated.state();
  runSql(
    stated,
    `DELETE FROM arguments WHERE entry IN (SELECT id FROM entries WHERE hub = 2); DELETE FROM entries WHERE hub = 2;
     DELETE FROM checkpoints WHERE hub = 2; DELETE FROM chains WHERE hub = 2`,
  );
  t.same(await listFaults(stated), [], 'the file alone is in order');
  t.same(compare(stated, statement), ['id-of-beta missing 2']);
});

t.test('emptied tables', async (t) => {
  const stated = await writeStated(t);
  const statement = await stated.state();
  runSql(stated, 'DELETE FROM arguments; DELETE FROM entries; DELETE FROM checkpoints; DELETE FROM chains');
  t.same(await listFaults(stated), []);
  t.same(compare(stated, statement), ['id-of-acme missing 8', 'id-of-beta missing 2']);
});

t.test('rows whose chain was removed', async (t) => {
  const stated = await writeStated(t);
  const statement = await stated.state();
  runSql(stated, 'DELETE FROM checkpoints WHERE hub = 2; DELETE FROM chains WHERE hub = 2');
  t.same(await listFaults(stated), ['orphaned']);
  t.same(compare(stated, statement), ['id-of-beta missing 2']);
});

t.test('an older file, also one that was written on and stated again', async (t) => {
  const stated = await writeStated(t);
  const first = await stated.state();
  await stated.audit.close();
  copyFileSync(stated.file, `${stated.folder}/older`);
  const reopened = await openTestAudit(t, {}, stated);
  for (let count = 0; count < 3; count += 1) await reopened.audit.record(createEntry());
  await reopened.audit.syncToDisk();
  const limits = { ...defaultAuditSettings, maxBytes: 1e12 };
  const second = await createStatement(await reopened.audit.ends(), stated.clock.nowMs(), limits, undefined);
  await reopened.audit.close();
  for (const suffix of ['-wal', '-shm']) rmSync(stated.file + suffix, { force: true });
  copyFileSync(`${stated.folder}/older`, stated.file);
  t.same(await listFaults(stated), []);
  t.same(compare(stated, first), [], 'the first statement does not know better');
  t.same(compare(stated, first, second), ['id-of-acme older 11']);
  const again = await openTestAudit(t, {}, stated);
  for (let count = 0; count < 5; count += 1) await again.audit.record(createEntry());
  await again.audit.syncToDisk();
  const third = await createStatement(await again.audit.ends(), stated.clock.nowMs(), limits, undefined);
  await again.audit.close();
  t.same(compare(stated, first, second, third), ['id-of-acme altered 11'], 'entry 11 is another one');
});

t.test('an audit that went back and was stated when it was shorter', async (t) => {
  const stated = await writeStated(t);
  const first = await stated.state();
  await stated.write(3);
  const second = await stated.state();
  t.same(compare(stated, second, first), ['id-of-acme older 8']);
});

t.test('calls of a person that were removed, and a new chain made with the master key', async (t) => {
  const stated = await writeStated(t);
  const statement = await stated.state();
  await stated.audit.close();
  await rechain(stated, `body LIKE '%"person":"Max"%'`);
  t.same(await listFaults(stated), [], 'the file alone is in order');
  t.same(compare(stated, statement), ['id-of-acme older 8', 'id-of-beta older 2']);
  await t.test('also when other calls were added', async (t) => {
    const reopened = await openTestAudit(t, {}, stated);
    for (let count = 0; count < 9; count += 1) await reopened.audit.record(createEntry());
    await reopened.audit.close();
    t.same(await listFaults(stated), []);
    t.same(compare(stated, statement), ['id-of-acme altered 8', 'id-of-beta older 2']);
  });
});

t.test('fresh entries that were deleted as if by retention, with a valid seal', async (t) => {
  const stated = await writeStated(t);
  const statement = await stated.state();
  await stated.write(2);
  await stated.audit.close();
  await reseal(
    stated,
    'before_seq = 9, before_mac = (SELECT mac FROM entries WHERE hub = 1 AND seq = 9)',
    `DELETE FROM arguments WHERE entry IN (SELECT id FROM entries WHERE hub = 1 AND seq <= 9);
     DELETE FROM entries WHERE hub = 1 AND seq <= 9`,
  );
  t.same(await listFaults(stated), []);
  t.same(compare(stated, statement), ['id-of-acme removed 8']);
  stated.clock.advance(401 * dayMs);
  t.same(compare(stated, statement), [], 'later they would have been deleted anyway');
});

t.test('fresh arguments that were erased as if by retention, with a valid seal', async (t) => {
  const stated = await writeStated(t);
  const statement = await stated.state();
  await stated.audit.close();
  await reseal(stated, 'erased_seq = 8', 'DELETE FROM arguments');
  t.same(
    (await listFaults(stated)).filter((fault) => fault.startsWith('erased')),
    ['erased 1', 'erased 2'],
    'only those of the other hub',
  );
  t.same(compare(stated, statement), ['id-of-acme erased 8']);
});

t.test('what retention deletes in time is no fault', async (t) => {
  const stated = await writeStated(t);
  const statement = await stated.state();
  stated.clock.advance(31 * dayMs);
  await stated.audit.applyRetention();
  await stated.write(1);
  const second = await stated.state();
  t.same(compare(stated, statement, second), []);
  stated.clock.advance(370 * dayMs);
  await stated.audit.applyRetention();
  const third = await stated.state();
  t.same(compare(stated, statement, second, third), []);
  t.match(third.chains[0], { before_seq: 8, erased_seq: 9 });
});

t.test('retention by size explains deleted entries only when the file is at its limit', async (t) => {
  const stated = await writeStated(t);
  const statement = await stated.state({ maxBytes: 4096 });
  await stated.write(1);
  await stated.audit.close();
  await reseal(
    stated,
    'before_seq = 8, before_mac = (SELECT mac FROM entries WHERE hub = 1 AND seq = 8)',
    `DELETE FROM arguments WHERE entry IN (SELECT id FROM entries WHERE hub = 1 AND seq <= 8);
     DELETE FROM entries WHERE hub = 1 AND seq <= 8`,
  );
  t.same(
    compare(stated, { ...statement, chains: statement.chains.map((chain) => ({ ...chain, seq: chain.seq - 1 })) }),
    ['id-of-acme removed 7', 'id-of-beta altered 1'],
  );
  const reader = openAuditReader(stated.file);
  t.teardown(() => reader.close());
  const context = { nowMs: stated.clock.nowMs(), usedBytes: 4000 };
  const [acme] = statement.chains;
  const earlier = acme ? [{ ...statement, chains: [{ ...acme, seq: 7 }] }] : [];
  t.same(
    reader.read((sql) => findStatementFaults(sql, earlier, context)),
    [],
  );
});

t.test(
  'the front of a chain that was cut off and replaced by padding, although the audit was far from its limit',
  async (t) => {
    const stated = await writeStated(t);
    const cut = `DELETE FROM arguments WHERE entry IN (SELECT id FROM entries WHERE hub = 1 AND seq <= 8);
    DELETE FROM entries WHERE hub = 1 AND seq <= 8`;
    const mebibyte = 1_048_576;
    const usedBytes = 3 * mebibyte;
    const limits = { maxBytes: 100 * mebibyte };
    const statement = await stated.state({ ...limits, usedBytes });
    const full = await stated.state({ ...limits, usedBytes: 99 * mebibyte });
    const { used_bytes: _notStated, ...earlier } = statement;
    await stated.write(1);
    await stated.audit.close();
    await reseal(stated, 'before_seq = 8, before_mac = (SELECT mac FROM entries WHERE hub = 1 AND seq = 8)', cut);
    const withSeq7 = (one: AnchorStatement) => ({
      ...one,
      chains: one.chains.slice(0, 1).map((c) => ({ ...c, seq: 7 })),
    });
    const reader = openAuditReader(stated.file);
    t.teardown(() => reader.close());
    // The file has been padded to the limit.
    const context = { nowMs: stated.clock.nowMs(), usedBytes: limits.maxBytes };
    const find = (...statements: AnchorStatement[]) =>
      reader.read((sql) => findStatementFaults(sql, statements.map(withSeq7), context).map(({ fault }) => fault));
    t.match(find(statement), [{ kind: 'removed', seq: 7, problem: /far from its limit of size/ }]);
    t.same(find(full), [], 'it was at its limit');
    t.same(find(statement, full, statement), [], 'and may have been between others');
    t.same(find(earlier), [], 'a statement of an earlier version does not say how large it was');
    const small = { ...statement, limits: { ...statement.limits, max_bytes: usedBytes } };
    t.same(find(statement, small), [], 'a limit that was lowered since');
    t.equal(
      reader.read((sql) => countDeletedEntries(sql, [statement])),
      8,
    );
  },
);

t.test('the stated size is signed', async (t) => {
  const { state } = await writeStated(t);
  const statement = await state({ usedBytes: 5 });
  t.not(serializeSigned(statement), serializeSigned({ ...statement, used_bytes: 6 }));
  const { used_bytes: _notStated, ...earlier } = statement;
  t.not(serializeSigned(statement), serializeSigned(earlier));
});

t.test('statements are read from a file of them, and from a log', async (t) => {
  const statement = await (await writeStated(t)).state();
  const text = [
    JSON.stringify(statement),
    '',
    JSON.stringify({ level: 30, msg: 'listening' }),
    JSON.stringify({ level: 30, audit_anchor: statement, msg: 'audit anchor' }),
    '{"vp_audit_anchor":2}',
    'torn',
  ].join('\n');
  t.same(
    parseStatements(text).map(({ line, statement: read }) => [line, read?.at_ms]),
    [
      [1, statement.at_ms],
      [4, statement.at_ms],
      [5, undefined],
      [6, undefined],
    ],
  );
});
