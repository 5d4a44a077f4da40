import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { abandonedRuns, forgetAbandoned } from '../../../src/store/outbox/abandoned.ts';
import { readMeta, writeMeta } from '../../../src/store/outbox/meta.ts';
import { openOutboxStore } from '../../../src/store/outbox/open.ts';
import {
  acknowledge,
  countReports,
  oldestWaiting,
  rememberedRuns,
  retryRefused,
  setApart,
  waitingLeased,
  waitingReport,
} from '../../../src/store/outbox/reports.ts';
import { outboxStoreKind } from '../../../src/store/outbox/schema.ts';
import { abandonSlot, finishRun, runInSlot, startDirect, startLeased } from '../../../src/store/outbox/slot.ts';
import type { Sql } from '../../../src/store/sql.ts';

/** A fresh store, closed with the test. */
function opened(t: Test): Database {
  const database = openDatabase({ file: join(t.testdir(), 'executor.db'), kind: outboxStoreKind });
  t.teardown(() => database.close());
  return database;
}

const run = (n: number): string => `20261120T${String(n).padStart(9, '0')}`;
const queued = (n: number) => ({ origin: 'queue', runId: run(n) }) as const;
const start = (sql: Sql, n: number) => startLeased(sql, { runId: run(n), fence: n, startedAtMs: n });

/** Started and finished. */
function finished(sql: Sql, n: number): void {
  start(sql, n);
  finishRun(sql, run(n), `{"n":${n}}`, null);
}

t.test('one run at a time has the slot', async (t) => {
  const { write } = opened(t);
  t.strictSame(await write((sql) => start(sql, 1)), { outcome: 'started', runId: run(1) });
  t.strictSame(await write((sql) => start(sql, 2)), { outcome: 'busy', runId: run(1) });
  t.strictSame(await write((sql) => startDirect(sql, 5)), { outcome: 'busy', runId: run(1) });
  t.equal(await write((sql) => finishRun(sql, run(1), '{}', null)), true);
  t.equal(await write((sql) => finishRun(sql, run(1), '{}', null)), false, 'and ends once');
  t.match(await write((sql) => start(sql, 2)), { outcome: 'started' });
});

t.test('starts of the same moment: one has the slot, whoever is first', async (t) => {
  const { write } = opened(t);
  const outcomes = await Promise.all([
    write((sql) => start(sql, 1)),
    write((sql) => startDirect(sql, 5)),
    write((sql) => start(sql, 2)),
  ]);
  t.strictSame(
    outcomes.map(({ outcome }) => outcome),
    ['started', 'busy', 'busy'],
  );
});

t.test('a run that was started is never started again, whatever became of it', async (t) => {
  const { write } = opened(t);
  await write((sql) => start(sql, 1));
  t.strictSame(await write((sql) => start(sql, 1)), { outcome: 'known', runId: run(1) });
  await write((sql) => finishRun(sql, run(1), '{}', null));
  t.match(await write((sql) => start(sql, 1)), { outcome: 'known' });
  await write((sql) => acknowledge(sql, queued(1)));
  t.match(await write((sql) => start(sql, 1)), { outcome: 'known' });
});

t.test('direct runs have ids of their own, behind every run of this store', async (t) => {
  const { write } = opened(t);
  await write((sql) => finished(sql, 143_012_345));
  const nowMs = Date.UTC(2026, 10, 20, 14, 30, 12, 345);
  t.strictSame(await write((sql) => startDirect(sql, nowMs)), { outcome: 'started', runId: run(143_012_346) });
  await write((sql) => finishRun(sql, run(143_012_346), '{}', '# text'));
  t.match(await write((sql) => startDirect(sql, nowMs + 5)), { runId: run(143_012_350) });
  t.equal(await write(runInSlot), run(143_012_350));
});

t.test('a queued run with the id of a direct one is another run', async (t) => {
  const { write } = opened(t);
  const nowMs = Date.UTC(2026, 10, 20, 14, 30, 12, 345);
  const runId = run(143_012_345);
  const direct = { origin: 'direct', runId } as const;
  t.strictSame(await write((sql) => startDirect(sql, nowMs)), { outcome: 'started', runId });
  t.strictSame(await write((sql) => start(sql, 143_012_345)), { outcome: 'busy', runId }, 'while it has the slot');
  await write((sql) => finishRun(sql, runId, '"direct"', '# text'));
  t.equal(await write((sql) => waitingReport(sql, runId)), undefined, 'its report is not the queued one’s');
  t.match(await write((sql) => start(sql, 143_012_345)), { outcome: 'started' });
  await write((sql) => finishRun(sql, runId, '"queued"', null));
  t.match(await write((sql) => waitingReport(sql, runId)), { report: '"queued"' });
  await write((sql) => acknowledge(sql, direct));
  t.equal(await write((sql) => oldestWaiting(sql, 'direct')), undefined);
  t.match(await write((sql) => oldestWaiting(sql, 'queue')), { report: '"queued"' }, 'acknowledged each by itself');
  await write((sql) => setApart(sql, direct, 'RUN_UNKNOWN'));
  t.match(await write(countReports), { waiting: 1, refused: 0 });
  await write((sql) => acknowledge(sql, queued(143_012_345)));
  t.match(await write((sql) => start(sql, 143_012_345)), { outcome: 'known' });
});

t.test('a store of the first version keeps its runs', async (t) => {
  const file = join(t.testdir(), 'executor.db');
  const old = openDatabase({ file, kind: { ...outboxStoreKind, migrations: outboxStoreKind.migrations.slice(0, 1) } });
  await old.write((sql) => finished(sql, 1));
  await old.write((sql) => start(sql, 2));
  await old.close();
  const { write, close } = openDatabase({ file, kind: outboxStoreKind });
  t.teardown(close);
  t.match(await write((sql) => oldestWaiting(sql, 'queue')), { run_id: run(1), fence: 1, report: '{"n":1}' });
  t.equal(await write(runInSlot), run(2));
  t.match(await write((sql) => startDirect(sql, 5)), { outcome: 'busy' });
});

t.test('reports wait in the order of their runs, those of each origin apart', async (t) => {
  const { write } = opened(t);
  await write((sql) => finished(sql, 2));
  await write((sql) => finished(sql, 1));
  const direct = await write((sql) => startDirect(sql, Date.UTC(2026, 10, 21)));
  await write((sql) => finishRun(sql, direct.runId, '{}', '# text'));
  t.strictSame(await write((sql) => waitingLeased(sql, 10)), [run(2), run(1)]);
  t.strictSame(await write((sql) => waitingLeased(sql, 1)), [run(2)]);
  t.match(await write((sql) => oldestWaiting(sql, 'queue')), {
    run_id: run(2),
    fence: 2,
    report: '{"n":2}',
    scenario_text: null,
  });
  t.match(await write((sql) => oldestWaiting(sql, 'direct')), {
    run_id: direct.runId,
    fence: null,
    scenario_text: '# text',
  });
  await write((sql) => acknowledge(sql, queued(2)));
  t.match(await write((sql) => oldestWaiting(sql, 'queue')), { run_id: run(1) });
  t.equal(await write((sql) => waitingReport(sql, run(2))), undefined);
  t.match(await write(countReports), { waiting: 2, refused: 0 });
});

t.test('a refused report is set apart until the next start', async (t) => {
  const { write } = opened(t);
  await write((sql) => finished(sql, 1));
  await write((sql) => setApart(sql, queued(1), 'REPORT_MISMATCH'));
  t.equal(await write((sql) => oldestWaiting(sql, 'queue')), undefined);
  t.match(await write(countReports), { waiting: 0, refused: 1 });
  await write(retryRefused);
  t.match(await write((sql) => oldestWaiting(sql, 'queue')), { run_id: run(1) });
});

t.test('what a dead start left in the slot is abandoned, told once and remembered', async (t) => {
  const { write } = opened(t);
  await write((sql) => start(sql, 1));
  await write(abandonSlot);
  t.strictSame(await write((sql) => abandonedRuns(sql, 10)), [run(1)]);
  t.equal(await write(runInSlot), undefined);
  t.equal(await write((sql) => finishRun(sql, run(1), '{}', null)), false);
  await write(forgetAbandoned);
  t.strictSame(await write((sql) => abandonedRuns(sql, 10)), []);
  t.match(await write((sql) => start(sql, 1)), { outcome: 'known' });
});

t.test('an abandoned direct run is nobody’s to be told of', async (t) => {
  const { write } = opened(t);
  await write((sql) => startDirect(sql, 5));
  await write(abandonSlot);
  t.strictSame(await write((sql) => abandonedRuns(sql, 10)), []);
});

t.test('as many acknowledged runs are remembered as promised, and no report is forgotten', async (t) => {
  const { write } = opened(t);
  await write((sql) => finished(sql, 1));
  await write((sql) => {
    for (let n = 2; n <= rememberedRuns + 50; n += 1) {
      finished(sql, n);
      acknowledge(sql, queued(n));
    }
  });
  const count = await write((sql) => sql.prepare('SELECT count(*) AS n FROM runs').get());
  t.strictSame(count, { n: rememberedRuns + 1 });
  t.match(await write((sql) => oldestWaiting(sql, 'queue')), { run_id: run(1) });
  t.match(await write((sql) => start(sql, 60)), { outcome: 'known' });
});

t.test('single values are replaced', async (t) => {
  const { write } = opened(t);
  t.equal(await write((sql) => readMeta(sql, 'instance')), undefined);
  await write((sql) => writeMeta(sql, 'instance', 'shop'));
  await write((sql) => writeMeta(sql, 'instance', 'other'));
  t.equal(await write((sql) => readMeta(sql, 'instance')), 'other');
});

t.test('a leased run without a fence cannot be noted', async (t) => {
  const { write } = opened(t);
  const insert = `INSERT INTO runs (run_id, origin, state, started_at_ms) VALUES ('a', 'queue', 'started', 1)`;
  await t.rejects(
    write((sql) => sql.prepare(insert).run()),
    { code: 'INTERNAL', detail: /CHECK/ },
  );
});

t.test('a second executor is kept out of the folder, and let in after the first', async (t) => {
  const folder = t.testdir();
  const first = openOutboxStore(folder, 11);
  t.throws(() => openOutboxStore(folder, 12), { code: 'STORE_IN_USE', message: /process 11/ });
  await first.close();
  await openOutboxStore(folder, 12).close();
});

t.test('a store that cannot be opened lets go of the folder', async (t) => {
  const folder = t.testdir({ 'executor.db': 'this is no database, it is a text of some length' });
  t.throws(() => openOutboxStore(folder, 11), { code: /^STORE_/ });
  t.throws(() => openOutboxStore(folder, 11), { code: /^STORE_(?!IN_USE)/ });
});
