/** While something holds the horizon, PostgreSQL removes no dead row. What each run reads must not grow with them. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { findKnownJournal } from '../../../src/store/control/instances/executor-journals.ts';
import {
  findCurrentLease,
  findFirstQueuedRun,
  findOldestQueuedRun,
  leaseOldestRun,
} from '../../../src/store/control/runs/leases.ts';
import { getStoredBytes } from '../../../src/store/control/runs/retention.ts';
import { readRunTotals } from '../../../src/store/control/runs/run-summaries.ts';
import { getSearchPath } from '../../../src/store/postgres/begin.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../../src/store/postgres/stores.ts';
import { translateStatement } from '../../../src/store/postgres/translate.ts';
import type { Sql, SqlValue } from '../../../src/store/sql.ts';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

/** The statements that a run of a queue begins with. */
const reads: readonly ((sql: Sql) => unknown)[] = [
  (sql) => findKnownJournal(sql, 'app'),
  (sql) => readRunTotals(sql, 'app'),
  (sql) => findCurrentLease(sql, 'app'),
  (sql) => findOldestQueuedRun(sql, 'app'),
  (sql) => findFirstQueuedRun(sql, 'app'),
  (sql) => getStoredBytes(sql),
];

const runsPerBatch = 25;

type Text = { readonly text: string; readonly values: readonly SqlValue[] };

function readText(read: (sql: Sql) => unknown): Text {
  const texts: Text[] = [];
  const get = (text: string, ...values: SqlValue[]): undefined => void texts.push({ text, values });
  read({ get } as unknown as Sql);
  const [first] = texts;
  if (!first) throw new Error('the read has no statement');
  return first;
}

async function countPages(client: pg.Client, texts: readonly Text[]): Promise<number> {
  let pages = 0;
  for (const { text, values } of texts) {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${translateStatement(text)}`, [
      ...values,
    ]);
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
  return pages;
}

async function openTestStores(t: Test) {
  const database = await createTestDatabase(t);
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url: database.url }, {});
  const { control, audit, memory, close } = await openPostgresStores({
    settings,
    clock: systemClock,
    maxConnections: 4,
  });
  t.teardown(async () => {
    await Promise.all([control.close(), audit.close(), memory.close()]);
    await close();
  });
  return { url: database.url, control };
}

t.test('what a run reads does not grow while the horizon is held', { skip: skipWithoutPostgres }, async (t) => {
  const { url, control } = await openTestStores(t);
  const [holder, client] = [new pg.Client(url), new pg.Client(url)];
  for (const connection of [holder, client]) {
    await connection.connect();
    t.teardown(() => connection.end());
  }
  await client.query(`SET search_path TO ${getSearchPath('control')}`);
  await control.database.write((sql) => {
    sql.run(
      `INSERT INTO instances (id, tier, created_at_ms, created_by, key_hash, seq) VALUES ('app', 'compose', 7, 'x', 'h', 1)`,
    );
    sql.run(`INSERT INTO revisions (id, instance_id, scenario_id, revision, title, layer, tags, text, sha256, created_at_ms, created_by)
      VALUES (1, 'app', 'RT-one', 1, 'One', 'HTTP', '[]', 'text', 'sum', 1, 'ana')`);
  });
  let runs = 0;
  const runOne = (sql: Sql, id: number): void => {
    sql.execute(
      `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by, requested_at_ms, seq)
         VALUES (?, 'app', 'RT-one', 1, 'tr', 'queued', 'queue', 'ana', ?, 1)`,
      ...[id, id],
    );
    leaseOldestRun(sql, control.counters, 'app', { epoch: 1, journalSeq: id }, id);
    sql.execute("INSERT INTO reports (run_id, size_bytes, report) VALUES (?, 10, '{}')", id);
    sql.execute("UPDATE runs SET state = 'passed' WHERE id = ?", id);
  };
  const work = async (batches: number): Promise<void> => {
    for (let done = 0; done < batches; done += 1) {
      const first = runs + 1;
      runs += runsPerBatch;
      await control.database.write((sql) => {
        for (let id = first; id < first + runsPerBatch; id += 1) runOne(sql, id);
      });
    }
  };
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM vp_control.runs');
  const texts = reads.map(readText);
  await work(16);
  await client.query('ANALYZE');
  const before = await countPages(client, texts);
  await work(32);
  await client.query('ANALYZE');
  const after = await countPages(client, texts);
  t.ok(after <= before + 10, `${after} pages after ${runs} runs, ${before} after a third of them`);
  t.match(await control.database.read((sql) => readRunTotals(sql, 'app')), { passed: runs });
  t.equal(await control.database.read(getStoredBytes), 10 * runs);
});

t.test('an instance has one run in progress', { skip: skipWithoutPostgres }, async (t) => {
  const { control } = await openTestStores(t);
  const insert = `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by,
    requested_at_ms, fence, seq) VALUES (?, 'app', 'RT-one', 1, 'tr', 'queued', 'queue', 'ana', 1, NULL, 1)`;
  await control.database.write((sql) => {
    for (const id of [1, 2]) sql.run(insert, id);
    sql.run("UPDATE runs SET state = 'in_progress', fence = 1 WHERE id = 1");
  });
  const leaseSecond = () =>
    control.database.write((sql) => sql.run("UPDATE runs SET state = 'in_progress', fence = 2 WHERE id = 2"));
  await t.rejects(leaseSecond());
  await control.database.write((sql) => sql.run("UPDATE runs SET state = 'passed' WHERE id = 1"));
  t.equal(await leaseSecond(), 1);
});
