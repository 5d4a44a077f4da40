/** Counters that are appended to: what they say, and that a store of the version before is migrated with them. */
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { findKnownJournal, saveJournalPosition } from '../../../src/store/control/instances/executor-journals.ts';
import {
  findCurrentLease,
  findFirstQueuedRun,
  findOldestQueuedRun,
  leaseOldestRun,
} from '../../../src/store/control/runs/leases.ts';
import { getStoredBytes } from '../../../src/store/control/runs/retention.ts';
import { readRunTotals } from '../../../src/store/control/runs/run-summaries.ts';
import { controlStoreKind } from '../../../src/store/control/schema/control-schema.ts';
import { counterStepsMigration } from '../../../src/store/control/schema/counter-steps.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { createRowReader } from '../../../src/store/row-reader.ts';
import type { Sql } from '../../../src/store/sql.ts';

const insertInstance =
  "INSERT INTO instances (id, tier, created_at_ms, created_by, key_hash, fence, journal_epoch, journal_seq, seq) VALUES ('app', 'compose', 7, 'x', 'h', ?, 2, 30, 1)";
const insertRun = `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by, requested_at_ms,
  epoch, fence, leased_at_ms, seq) VALUES (?, 'app', 'RT-one', 1, 'tr', ?, 'queue', 'ana', ?, ?, ?, ?, 1)`;
const insertReport = "INSERT INTO reports (run_id, size_bytes, report) VALUES (?, 10, '{}')";

function addRevision(sql: Sql): void {
  sql.run(`INSERT INTO revisions (id, instance_id, scenario_id, revision, title, layer, tags, text, sha256, created_at_ms, created_by)
    VALUES (1, 'app', 'RT-one', 1, 'One', 'HTTP', '[]', 'text', 'sum', 1, 'ana')`);
}

const countReader = createRowReader(Type.Object({ rows: Type.Integer() }));

function countRows(sql: Sql, table: string): number {
  return countReader.first(sql, `SELECT count(*) AS rows FROM ${table}`)?.rows ?? 0;
}

t.test('a store of the version before goes on with its totals, its size, its lease and its journal', async (t) => {
  const file = join(t.testdir(), 'control.db');
  const index = controlStoreKind.migrations.indexOf(counterStepsMigration);
  const createKind = { ...controlStoreKind, migrations: controlStoreKind.migrations.slice(0, index) };
  const old = openDatabase({ file, createKind });
  await old.write((sql) => {
    sql.run(insertInstance, 9);
    addRevision(sql);
    for (let id = 1; id <= 5; id += 1) sql.run(insertRun, id, 'passed', id, 1, id, id);
    sql.run(insertReport, 1);
    sql.run(insertRun, 6, 'in_progress', 6, 1, 9, 6);
    sql.run(insertRun, 7, 'queued', 7, null, null, null);
  });
  await old.close();

  const database = openDatabase({ file, createKind: controlStoreKind });
  t.teardown(() => database.close());
  await database.read((sql) => {
    t.match(readRunTotals(sql, 'app'), { registered_at_ms: 7, passed: 5, failed: 0 });
    t.equal(getStoredBytes(sql), 10);
    t.match(findCurrentLease(sql, 'app'), { id: 6, fence: 9 });
    t.match(findOldestQueuedRun(sql, 'app'), { id: 7, fence: 10 });
    t.same({ ...findFirstQueuedRun(sql, 'app'), fence: 10 }, findOldestQueuedRun(sql, 'app'));
    t.match(findKnownJournal(sql, 'app'), { fence: 9, journal_epoch: 2, journal_seq: 30 });
  });
});

t.test('what a replica of the version before writes is taken over', async (t) => {
  const database = openDatabase({ file: join(t.testdir(), 'control.db'), createKind: controlStoreKind });
  t.teardown(() => database.close());
  await database.write((sql) => {
    sql.run(insertInstance, 9);
    addRevision(sql);
    sql.run(insertRun, 6, 'queued', 6, null, null, null);
    sql.run("UPDATE instances SET fence = 10, journal_epoch = 3, journal_seq = 31 WHERE id = 'app'");
    sql.run("UPDATE runs SET state = 'in_progress', epoch = 3, leased_at_ms = 9, fence = 10 WHERE id = 6");
    t.match(findKnownJournal(sql, 'app'), { fence: 10, journal_epoch: 3, journal_seq: 31 });
    t.match(findCurrentLease(sql, 'app'), { id: 6, fence: 10 });
  });
});

t.test('only the newest steps remain, and all count', async (t) => {
  const database = openDatabase({ file: join(t.testdir(), 'control.db'), createKind: controlStoreKind });
  t.teardown(() => database.close());
  let seq = 1;
  const counters = { nextSeq: () => ++seq } as Parameters<typeof leaseOldestRun>[1];
  await database.write((sql) => {
    sql.run(insertInstance, 0);
    addRevision(sql);
    for (let id = 1; id <= 300; id += 1) {
      sql.run(insertRun, id, 'queued', id, null, null, null);
      t.match(leaseOldestRun(sql, counters, 'app', { epoch: 3, journalSeq: id }, id), { id, fence: id });
      t.match(findCurrentLease(sql, 'app'), { id });
      sql.run(insertReport, id);
      sql.run("UPDATE runs SET state = 'passed' WHERE id = ?", id);
      t.equal(findCurrentLease(sql, 'app'), undefined);
    }
    saveJournalPosition(sql, 'app', 4, 301);
    t.match(readRunTotals(sql, 'app'), { passed: 300 });
    t.match(findKnownJournal(sql, 'app'), { fence: 300, journal_epoch: 4, journal_seq: 301 });
    t.equal(getStoredBytes(sql), 3000);
    sql.run('DELETE FROM reports WHERE run_id <= 100');
    t.equal(getStoredBytes(sql), 2000);
    for (const table of ['stored_byte_steps', 'run_total_steps', 'lease_steps', 'journal_steps']) {
      const rows = countRows(sql, table);
      t.ok(rows >= 64 && rows <= 128, `${table} has ${rows} rows`);
    }
  });
});
