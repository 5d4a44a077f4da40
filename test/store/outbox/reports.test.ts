import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import t, { type Test } from 'tap';
import type { Database } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { outboxStoreKind } from '../../../src/store/outbox/outbox-schema.ts';
import { openOutboxStore, readOutboxMeta, writeOutboxMeta } from '../../../src/store/outbox/outbox-store.ts';
import {
  acknowledgementsPerDeletion,
  countOutboxReports,
  createAcknowledgeReport,
  findOldestPendingReport,
  findPendingReport,
  listPendingRunIds,
  markReportRefused,
  maxRetainedAcknowledgedRuns,
  retryRefusedReports,
} from '../../../src/store/outbox/reports.ts';
import {
  abandonRunInSlot,
  findRunInSlot,
  finishRunInSlot,
  listAbandonedRuns,
  markAbandonedReported,
  startDirectRun,
  startLeasedRun,
} from '../../../src/store/outbox/slot.ts';
import { createRowReader } from '../../../src/store/row-reader.ts';
import type { Sql } from '../../../src/store/sql.ts';

/** A new store, closed with the test. */
function openTestOutbox(t: Test): Database {
  const database = openDatabase({ file: join(t.testdir(), 'executor.db'), createKind: outboxStoreKind });
  t.teardown(() => database.close());
  return database;
}

const acknowledgeReport = createAcknowledgeReport();

const formatTestRunId = (n: number): string => `20261120T${String(n).padStart(9, '0')}`;
const queuedRun = (n: number) => ({ origin: 'queue', runId: formatTestRunId(n) }) as const;
const startRun = (sql: Sql, n: number) => startLeasedRun(sql, { runId: formatTestRunId(n), fence: n, startedAtMs: n });

const countReader = createRowReader(Type.Object({ runs: Type.Integer() }));
const countRuns = (sql: Sql): number => countReader.first(sql, 'SELECT count(*) AS runs FROM runs')?.runs ?? 0;

function startAndFinish(sql: Sql, n: number): void {
  startRun(sql, n);
  finishRunInSlot(sql, formatTestRunId(n), `{"n":${n}}`, null);
}

t.test('one run at a time has the slot', async (t) => {
  const { write } = openTestOutbox(t);
  t.strictSame(await write((sql) => startRun(sql, 1)), { outcome: 'started', runId: formatTestRunId(1) });
  t.strictSame(await write((sql) => startRun(sql, 2)), { outcome: 'busy', runId: formatTestRunId(1) });
  t.strictSame(await write((sql) => startDirectRun(sql, 5)), { outcome: 'busy', runId: formatTestRunId(1) });
  t.equal(await write((sql) => finishRunInSlot(sql, formatTestRunId(1), '{}', null)), true);
  t.equal(await write((sql) => finishRunInSlot(sql, formatTestRunId(1), '{}', null)), false, 'and ends once');
  t.match(await write((sql) => startRun(sql, 2)), { outcome: 'started' });
});

t.test('of concurrent starts the first gets the slot', async (t) => {
  const { write } = openTestOutbox(t);
  const outcomes = await Promise.all([
    write((sql) => startRun(sql, 1)),
    write((sql) => startDirectRun(sql, 5)),
    write((sql) => startRun(sql, 2)),
  ]);
  t.strictSame(
    outcomes.map(({ outcome }) => outcome),
    ['started', 'busy', 'busy'],
  );
});

t.test('a run that was started is never started again, in any later state', async (t) => {
  const { write } = openTestOutbox(t);
  await write((sql) => startRun(sql, 1));
  t.strictSame(await write((sql) => startRun(sql, 1)), { outcome: 'known', runId: formatTestRunId(1) });
  await write((sql) => finishRunInSlot(sql, formatTestRunId(1), '{}', null));
  t.match(await write((sql) => startRun(sql, 1)), { outcome: 'known' });
  await write((sql) => acknowledgeReport(sql, queuedRun(1)));
  t.match(await write((sql) => startRun(sql, 1)), { outcome: 'known' });
});

t.test('direct runs get new ids after all runs of this store', async (t) => {
  const { write } = openTestOutbox(t);
  await write((sql) => startAndFinish(sql, 143_012_345));
  const nowMs = Date.UTC(2026, 10, 20, 14, 30, 12, 345);
  t.strictSame(await write((sql) => startDirectRun(sql, nowMs)), {
    outcome: 'started',
    runId: formatTestRunId(143_012_346),
  });
  await write((sql) => finishRunInSlot(sql, formatTestRunId(143_012_346), '{}', '# text'));
  t.match(await write((sql) => startDirectRun(sql, nowMs + 5)), { runId: formatTestRunId(143_012_350) });
  t.equal(await write(findRunInSlot), formatTestRunId(143_012_350));
});

t.test('a queued run with the id of a direct run is a different run', async (t) => {
  const { write } = openTestOutbox(t);
  const nowMs = Date.UTC(2026, 10, 20, 14, 30, 12, 345);
  const runId = formatTestRunId(143_012_345);
  const direct = { origin: 'direct', runId } as const;
  t.strictSame(await write((sql) => startDirectRun(sql, nowMs)), { outcome: 'started', runId });
  t.strictSame(await write((sql) => startRun(sql, 143_012_345)), { outcome: 'busy', runId }, 'while it has the slot');
  await write((sql) => finishRunInSlot(sql, runId, '"direct"', '# text'));
  t.equal(await write((sql) => findPendingReport(sql, runId)), undefined, 'its report is not the queued one’s');
  t.match(await write((sql) => startRun(sql, 143_012_345)), { outcome: 'started' });
  await write((sql) => finishRunInSlot(sql, runId, '"queued"', null));
  t.match(await write((sql) => findPendingReport(sql, runId)), { report: '"queued"' });
  await write((sql) => acknowledgeReport(sql, direct));
  t.equal(await write((sql) => findOldestPendingReport(sql, 'direct')), undefined);
  t.match(
    await write((sql) => findOldestPendingReport(sql, 'queue')),
    { report: '"queued"' },
    'acknowledged each by itself',
  );
  await write((sql) => markReportRefused(sql, direct, 'RUN_UNKNOWN'));
  t.match(await write(countOutboxReports), { waiting: 1, refused: 0 });
  await write((sql) => acknowledgeReport(sql, queuedRun(143_012_345)));
  t.match(await write((sql) => startRun(sql, 143_012_345)), { outcome: 'known' });
});

t.test('a store of the first version keeps its runs', async (t) => {
  const file = join(t.testdir(), 'executor.db');
  const old = openDatabase({
    file,
    createKind: { ...outboxStoreKind, migrations: outboxStoreKind.migrations.slice(0, 1) },
  });
  await old.write((sql) => startAndFinish(sql, 1));
  await old.write((sql) => startRun(sql, 2));
  await old.close();
  const { write, close } = openDatabase({ file, createKind: outboxStoreKind });
  t.teardown(close);
  t.match(await write((sql) => findOldestPendingReport(sql, 'queue')), {
    run_id: formatTestRunId(1),
    fence: 1,
    report: '{"n":1}',
  });
  t.equal(await write(findRunInSlot), formatTestRunId(2));
  t.match(await write((sql) => startDirectRun(sql, 5)), { outcome: 'busy' });
});

t.test('pending reports are in the order of their runs, separately for each origin', async (t) => {
  const { write } = openTestOutbox(t);
  await write((sql) => startAndFinish(sql, 2));
  await write((sql) => startAndFinish(sql, 1));
  const direct = await write((sql) => startDirectRun(sql, Date.UTC(2026, 10, 21)));
  await write((sql) => finishRunInSlot(sql, direct.runId, '{}', '# text'));
  t.strictSame(await write((sql) => listPendingRunIds(sql, 10)), [formatTestRunId(2), formatTestRunId(1)]);
  t.strictSame(await write((sql) => listPendingRunIds(sql, 1)), [formatTestRunId(2)]);
  t.match(await write((sql) => findOldestPendingReport(sql, 'queue')), {
    run_id: formatTestRunId(2),
    fence: 2,
    report: '{"n":2}',
    scenario_text: null,
  });
  t.match(await write((sql) => findOldestPendingReport(sql, 'direct')), {
    run_id: direct.runId,
    fence: null,
    scenario_text: '# text',
  });
  await write((sql) => acknowledgeReport(sql, queuedRun(2)));
  t.match(await write((sql) => findOldestPendingReport(sql, 'queue')), { run_id: formatTestRunId(1) });
  t.equal(await write((sql) => findPendingReport(sql, formatTestRunId(2))), undefined);
  t.match(await write(countOutboxReports), { waiting: 2, refused: 0 });
});

t.test('a refused report is not sent again until the next start', async (t) => {
  const { write } = openTestOutbox(t);
  await write((sql) => startAndFinish(sql, 1));
  await write((sql) => markReportRefused(sql, queuedRun(1), 'REPORT_MISMATCH'));
  t.equal(await write((sql) => findOldestPendingReport(sql, 'queue')), undefined);
  t.match(await write(countOutboxReports), { waiting: 0, refused: 1 });
  await write(retryRefusedReports);
  t.match(await write((sql) => findOldestPendingReport(sql, 'queue')), { run_id: formatTestRunId(1) });
});

t.test('a run that a crashed start left in the slot is abandoned, reported once and never started again', async (t) => {
  const { write } = openTestOutbox(t);
  await write((sql) => startRun(sql, 1));
  await write(abandonRunInSlot);
  t.strictSame(await write((sql) => listAbandonedRuns(sql, 10)), [formatTestRunId(1)]);
  t.equal(await write(findRunInSlot), undefined);
  t.equal(await write((sql) => finishRunInSlot(sql, formatTestRunId(1), '{}', null)), false);
  await write(markAbandonedReported);
  t.strictSame(await write((sql) => listAbandonedRuns(sql, 10)), []);
  t.match(await write((sql) => startRun(sql, 1)), { outcome: 'known' });
});

t.test('an abandoned direct run is not reported', async (t) => {
  const { write } = openTestOutbox(t);
  await write((sql) => startDirectRun(sql, 5));
  await write(abandonRunInSlot);
  t.strictSame(await write((sql) => listAbandonedRuns(sql, 10)), []);
});

t.test('the promised number of acknowledged runs is retained, and no pending report is deleted', async (t) => {
  const { write } = openTestOutbox(t);
  const acknowledge = createAcknowledgeReport();
  await write((sql) => startAndFinish(sql, 1));
  const counts = await write((sql) =>
    Array.from({ length: maxRetainedAcknowledgedRuns + 500 }, (_, index) => {
      startAndFinish(sql, index + 2);
      acknowledge(sql, queuedRun(index + 2));
      return index >= maxRetainedAcknowledgedRuns ? countRuns(sql) : 0;
    }),
  );
  const pending = 1;
  const retained = counts.slice(maxRetainedAcknowledgedRuns).map((count) => count - pending);
  t.equal(Math.min(...retained), maxRetainedAcknowledgedRuns);
  t.equal(Math.max(...retained), maxRetainedAcknowledgedRuns + acknowledgementsPerDeletion - 1);
  t.match(await write((sql) => findOldestPendingReport(sql, 'queue')), { run_id: formatTestRunId(1) });
  t.match(await write((sql) => startRun(sql, 600)), { outcome: 'known' });
});

t.test('each start deletes what is left of the one before with its first acknowledgement', async (t) => {
  const { write } = openTestOutbox(t);
  const before = createAcknowledgeReport();
  await write((sql) => {
    for (let n = 1; n <= maxRetainedAcknowledgedRuns + 20; n += 1) {
      startAndFinish(sql, n);
      before(sql, queuedRun(n));
    }
    startAndFinish(sql, maxRetainedAcknowledgedRuns + 21);
  });
  await write((sql) => createAcknowledgeReport()(sql, queuedRun(maxRetainedAcknowledgedRuns + 21)));
  t.equal(await write(countRuns), maxRetainedAcknowledgedRuns);
});

t.test('single values are replaced', async (t) => {
  const { write } = openTestOutbox(t);
  t.equal(await write((sql) => readOutboxMeta(sql, 'instance')), undefined);
  await write((sql) => writeOutboxMeta(sql, 'instance', 'shop'));
  await write((sql) => writeOutboxMeta(sql, 'instance', 'other'));
  t.equal(await write((sql) => readOutboxMeta(sql, 'instance')), 'other');
});

t.test('a leased run without a fence cannot be stored', async (t) => {
  const { write } = openTestOutbox(t);
  const insert = `INSERT INTO runs (run_id, origin, state, started_at_ms) VALUES ('a', 'queue', 'started', 1)`;
  await t.rejects(
    write((sql) => sql.run(insert)),
    { code: 'INTERNAL', detail: /CHECK/ },
  );
});

t.test('a second executor cannot open the folder until the first has closed it', async (t) => {
  const folder = t.testdir();
  const first = openOutboxStore(folder, 11);
  t.throws(() => openOutboxStore(folder, 12), { code: 'STORE_IN_USE', message: /process 11/ });
  await first.close();
  await openOutboxStore(folder, 12).close();
});

t.test('a store that cannot be opened releases the folder', async (t) => {
  const folder = t.testdir({ 'executor.db': 'this is no database, it is a text of some length' });
  t.throws(() => openOutboxStore(folder, 11), { code: /^STORE_/ });
  t.throws(() => openOutboxStore(folder, 11), { code: /^STORE_(?!IN_USE)/ });
});
