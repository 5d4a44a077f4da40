/** Fills the store of a control plane that is not running with runs as they are a second apart, in one transaction. */
import Database from 'better-sqlite3';
import { getControlStoreFile } from '../../src/store/control/control-store.ts';

const otherInstances = 9;
/** Every so many runs one failed. */
const failedEvery = 20;
/** The latest so many have a report: copies of a real one. */
const reports = 20_000;

/** Runs like `model`, a real one, `:count` of them: each a second earlier than the next, the last a second before it. */
const insertRuns = `
WITH RECURSIVE
  model AS (SELECT * FROM runs WHERE instance_id = :instance ORDER BY id LIMIT 1),
  places (place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM places WHERE place < :count)
INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by, requested_at_ms,
  leased_at_ms, started_at_ms, finished_at_ms, epoch, fence, failure_kind, failure_message, observed_status,
  assertions_enforced_count, duration_ms, report_expired, seq)
SELECT m.id - (:count - place + 1) * 1000,
  CASE place % 2 WHEN 0 THEN :instance ELSE 'other-' || (place / 2 % :others) END,
  m.scenario_id, m.revision_id, 'tr-' || place || '-stored',
  CASE place % :failedEvery WHEN 0 THEN 'failed' ELSE 'passed' END, 'queue', 'bench',
  m.id - (:count - place + 1) * 1000, m.id - (:count - place + 1) * 1000 + 2, m.id - (:count - place + 1) * 1000 + 3,
  m.id - (:count - place + 1) * 1000 + 9, 1, place,
  CASE place % :failedEvery WHEN 0 THEN 'body_mismatch' END, CASE place % :failedEvery WHEN 0 THEN 'stored' END,
  200, 5, 6.5, place <= :count - :reports, :seq + place
FROM places, model m`;

const insertReports = `
WITH model AS (SELECT size_bytes, report FROM reports LIMIT 1)
INSERT INTO reports (run_id, size_bytes, report)
SELECT r.id, m.size_bytes, m.report FROM runs r, model m WHERE r.report_expired = 0 ON CONFLICT DO NOTHING`;

/** Gives `instance` half of `count` runs; the others go to instances that only their runs know. The store has a run already. */
export function fillStore(folder: string, instance: string, count: number): void {
  const database = new Database(getControlStoreFile(folder));
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -200000');
  const seq = database.prepare('SELECT max(seq) FROM runs').pluck().get();
  const values = { count, instance, others: otherInstances, failedEvery, reports, seq };
  database.transaction(() => {
    const { changes } = database.prepare(insertRuns).run(values);
    if (changes !== count) throw new Error(`${changes} runs were stored instead of ${count}`);
    database.prepare(insertReports).run();
  })();
  // All of it reaches the disk now: writing it later would slow down what is measured.
  database.pragma('synchronous = FULL');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}
