/** An executor's store of the version before, whose commits were counted in a table of their own. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { VpError } from '../../../src/errors/vp-error.ts';
import type { Database, StorePositionOptions } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { outboxStoreKind } from '../../../src/store/outbox/outbox-schema.ts';
import { findOldestPendingReport, listPendingRunIds } from '../../../src/store/outbox/reports.ts';
import { findRunInSlot, finishRunInSlot, startLeasedRun } from '../../../src/store/outbox/slot.ts';
import { readPosition } from '../../../src/store/sqlite/position-file.ts';

const { countsCommitsInMeta: _, ...earlierKind } = outboxStoreKind;
const createEarlierKind = { ...earlierKind, migrations: outboxStoreKind.migrations.slice(0, 3) };
const runId = (index: number) => `20261120T14301234${index}`;
const start = (index: number) => ({ runId: runId(index), fence: index, startedAtMs: index });

/** Two reports wait, and a third run is started: five commits. */
async function fill(file: string): Promise<void> {
  const database = openDatabase({ file, createKind: createEarlierKind, position: { role: 'owner', pid: 1 } });
  for (const index of [1, 2]) {
    await database.write((sql) => startLeasedRun(sql, start(index)));
    await database.write((sql) => finishRunInSlot(sql, runId(index), `{"run":${index}}`, null));
  }
  await database.write((sql) => startLeasedRun(sql, start(3)));
  await database.close();
}

function open(t: Test, file: string, more: Partial<StorePositionOptions> = {}): Database {
  const position = { role: 'owner', pid: 2, ...more } as const;
  const database = openDatabase({ file, createKind: outboxStoreKind, position });
  t.teardown(() => database.close());
  return database;
}

t.test('its reports, its slot and its count of commits go on', async (t) => {
  const file = join(t.testdir(), 'executor.db');
  await fill(file);
  const database = open(t, file);
  await database.read((sql) => {
    t.same(listPendingRunIds(sql, 10), [runId(1), runId(2)]);
    t.match(findOldestPendingReport(sql, 'queue'), { run_id: runId(1) });
    t.equal(findOldestPendingReport(sql, 'direct'), undefined);
    t.equal(findRunInSlot(sql), runId(3));
  });
  t.equal(database.countCommits(), 5);
  t.match(await database.write((sql) => startLeasedRun(sql, start(4))), { outcome: 'busy', runId: runId(3) });
  await database.write((sql) => finishRunInSlot(sql, runId(3), '{}', null));
  t.equal(database.countCommits(), 6);
  t.match(readPosition(file), { state: 'open', commits: 6 });
  t.same(await database.read((sql) => listPendingRunIds(sql, 10)), [runId(1), runId(2), runId(3)]);
});

t.test('an older copy of it is noticed, before it is migrated and after', async (t) => {
  const file = join(t.testdir(), 'executor.db');
  const copy = `${file}.copy`;
  await fill(file);
  cpSync(file, copy);
  const newer = open(t, file);
  await newer.write((sql) => finishRunInSlot(sql, runId(3), '{}', null));
  await newer.close();
  const losses: VpError[] = [];
  for (const [replacement, lost] of [
    [copy, 1],
    [`${file}.migrated`, 1],
  ] as const) {
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
    cpSync(replacement, file);
    t.throws(() => open(t, file), { code: 'STORE_WENT_BACK', values: { lost } }, replacement);
    const accepted = open(t, file, { onLoss: (loss) => losses.push(loss) });
    await accepted.close();
    cpSync(file, `${file}.migrated`);
  }
  t.equal(losses.length, 2);
  const accepted = open(t, file, { onLoss: (loss) => losses.push(loss) });
  await accepted.write((sql) => finishRunInSlot(sql, runId(3), '{}', null));
  t.equal(accepted.countCommits(), 7, 'the count goes on behind what was lost');
});
