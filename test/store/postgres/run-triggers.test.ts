/** What the state of runs appends on PostgreSQL, by the statements of any version. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { controlStoreKind } from '../../../src/store/control/schema/control-schema.ts';
import { runTriggersMigration } from '../../../src/store/control/schema/run-triggers.ts';
import { getSearchPath } from '../../../src/store/postgres/begin.ts';
import { controlPostgresSteps } from '../../../src/store/postgres/control-steps.ts';
import { migrateStore } from '../../../src/store/postgres/migrate.ts';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

const skip = skipWithoutPostgres;
const stepsBefore = controlStoreKind.migrations.indexOf(runTriggersMigration);

async function migrate(client: pg.Client, steps?: number): Promise<void> {
  const migrations = controlStoreKind.migrations.slice(0, steps);
  const kind = { ...controlStoreKind, name: 'control', migrations, postgresSteps: controlPostgresSteps } as const;
  await migrateStore(client, kind, 'test');
}

async function openClient(t: Test, steps?: number) {
  const { url } = await createTestDatabase(t);
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  await migrate(client, steps);
  await client.query(`SET search_path TO ${getSearchPath('control')}`);
  const run = async (text: string): Promise<Record<string, unknown>[]> => (await client.query(text)).rows;
  return { client, run };
}

const insertRun = (id: number, state: string): string =>
  `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by, requested_at_ms, seq)
    VALUES (${id}, 'app', 'RT-one', 1, 'tr-${id}', '${state}', 'queue', 'ana', ${id}, ${id})`;
const lease = (id: number, fence = id): string =>
  `UPDATE runs SET state = 'in_progress', fence = ${fence} WHERE id = ${id}`;
const end = (id: number, state: string, kind = 'NULL'): string =>
  `UPDATE runs SET state = '${state}', failure_kind = ${kind} WHERE id = ${id}`;
const readTotals = `SELECT result, max(runs)::int AS runs FROM run_total_steps GROUP BY result ORDER BY result`;
const readLease = 'SELECT run_id::int, fence::int FROM lease_steps ORDER BY fence DESC LIMIT 1';

t.test('each final state is counted once, and each lease is appended', { skip }, async (t) => {
  const { run } = await openClient(t);
  for (let id = 1; id <= 4; id += 1) await run(insertRun(id, 'queued'));
  await run(lease(1));
  t.same(await run(readLease), [{ run_id: 1, fence: 1 }]);
  await t.rejects(run(lease(2)), { code: '23505' }, 'a second run in progress');
  await run(end(1, 'failed', "'status_mismatch'"));
  await run(end(1, 'failed', "'connection'"));
  await run(lease(2));
  await run(end(2, 'failed', "'connection'"));
  await run("UPDATE runs SET state = 'cancelled' WHERE id = 3");
  await run(insertRun(9, 'passed'));
  t.same(await run(readTotals), [
    { result: 'cancelled', runs: 1 },
    { result: 'failed', runs: 1 },
    { result: 'not_judged', runs: 1 },
    { result: 'passed', runs: 1 },
  ]);
});

t.test('a run that returned to the queue can be leased again', { skip }, async (t) => {
  const { run } = await openClient(t);
  await run(insertRun(1, 'queued'));
  await run(lease(1, 1));
  await run("UPDATE runs SET state = 'queued', fence = NULL WHERE id = 1");
  await run(lease(1, 2));
  t.same(await run(readLease), [{ run_id: 1, fence: 2 }]);
});

t.test('a store of the version before goes on, and only the newest rows remain', { skip }, async (t) => {
  const { client, run } = await openClient(t, stepsBefore);
  const play = async (firstId: number): Promise<void> => {
    for (let id = firstId; id < firstId + 150; id += 1) {
      await run(insertRun(id, 'queued'));
      await run(lease(id));
      await run(end(id, 'passed'));
    }
  };
  await play(1);
  await run(insertRun(151, 'queued'));
  await run(lease(151));
  await migrate(client);
  await client.query(`SET search_path TO ${getSearchPath('control')}`);
  await run(insertRun(152, 'queued'));
  await t.rejects(run(lease(152)), { code: '23505' }, 'the run in progress is still the only one');
  await run(end(151, 'passed'));
  await run(end(152, 'cancelled'));
  await play(153);
  t.same(await run(readTotals), [
    { result: 'cancelled', runs: 1 },
    { result: 'passed', runs: 301 },
  ]);
  t.same(await run("SELECT runs::int FROM run_totals WHERE result = 'passed'"), [{ runs: 256 }]);
  for (const table of ['run_total_steps', 'lease_steps']) {
    const [count] = await run(`SELECT count(*)::int AS rows FROM ${table}`);
    t.ok(Number(count?.rows) >= 64 && Number(count?.rows) <= 130, `${table} has ${count?.rows} rows`);
  }
});
