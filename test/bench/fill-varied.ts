/**
 * Fills the store of a control plane that is not running with the history of one environment: 200 scenarios, of which five have
 * never passed, in suites of 200 runs, 50 versions of the target and 2,000 failures. A million runs are a year of it, of which
 * the default retention leaves the reports of 90 days and the bodies of 14.
 */
import Database from 'better-sqlite3';
import { getControlStoreFile } from '../../src/store/control/control-store.ts';

export const variedScenarios = 200;
const neverPassing = 5;
const versions = 50;
/** Of the other scenarios, every so many runs one failed. */
const failedEvery = 20;
/** In each scenario; another one every day or so. */
const failures = 10;
const intervalMs = 31_536;
const dayMs = 86_400_000;
const reportDays = 90;
const bodyDays = 14;
const deliveries = 5000;
/** The oldest failed run has it in its message. */
export const rareText = 'needle in a haystack';

export function toVariedId(index: number): string {
  return `RT-varied-${String(index).padStart(3, '0')}`;
}

/** Copies of a real revision, with titles, tags and owners of their own. */
const insertRevisions = `
WITH RECURSIVE model AS (SELECT * FROM revisions WHERE instance_id = :instance ORDER BY id LIMIT 1),
  places (place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place < :scenarios - 1)
INSERT INTO revisions (id, instance_id, scenario_id, revision, title, layer, tags, text, sha256, created_at_ms, created_by, owner)
SELECT :firstRevision + place, :instance, 'RT-varied-' || substr('00' || place, -3), 1, 'Verified request ' || place, m.layer,
  CASE place % 10 WHEN 0 THEN '["smoke","http"]' ELSE '["http"]' END, m.text, 'varied-' || place, 1, 'bench',
  'team ' || (place % 8)
FROM places, model m`;

const insertScenarios = `
INSERT INTO scenarios (instance_id, scenario_id, revision_id, revision, seq)
SELECT instance_id, scenario_id, id, 1, :seq FROM revisions WHERE id >= :firstRevision`;

const insertSuites = `
WITH RECURSIVE places (place) AS (
  SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place < (:count - 1) / :scenarios)
INSERT INTO suites (id, instance_id, expected_runs, requested_by, requested_at_ms, branch, commit_id)
SELECT :startMs + place * :scenarios * :interval - 1, :instance, :scenarios, 'bench', :startMs + place * :scenarios * :interval - 1,
  CASE place % 50 WHEN 0 THEN 'release' ELSE 'main' END, printf('%08x', place * 2654435 % 4294967296)
FROM places`;

const hasFailed = '(p.place % :scenarios < :neverPassing OR (p.place * 7919) % :failedEvery = 0)';
const group = `printf('%016x', 1 + (p.place % :scenarios) * :failures + (p.place / :scenarios / 100) % :failures)`;

const insertRuns = `
WITH RECURSIVE model AS (SELECT * FROM runs WHERE instance_id = :instance AND state = 'passed' ORDER BY id LIMIT 1),
  places (place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place < :count - 1)
INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by, requested_at_ms,
  leased_at_ms, started_at_ms, finished_at_ms, epoch, fence, failure_kind, failure_message, failure_summary, observed_status,
  assertions_enforced_count, duration_ms, report_expired, target_version, failure_group, suite_id, seq)
SELECT :startMs + p.place * :interval, :instance, 'RT-varied-' || substr('00' || (p.place % :scenarios), -3),
  :firstRevision + p.place % :scenarios, 'tr-' || p.place || '-varied',
  CASE WHEN ${hasFailed} THEN 'failed' ELSE 'passed' END, 'queue', 'bench', :startMs + p.place * :interval,
  :startMs + p.place * :interval + 2, :startMs + p.place * :interval + 3, :startMs + p.place * :interval + 9, 1, p.place,
  CASE WHEN ${hasFailed} THEN 'body_mismatch' END,
  CASE WHEN p.place = 0 THEN :rareText WHEN ${hasFailed} THEN 'status matched but the response body did not satisfy' END,
  CASE WHEN ${hasFailed} THEN 'body has count equals 3: got ' || (p.place % 7) END,
  200, 5, 5.0 + p.place * 7919 % 1000 / 250.0, :startMs + p.place * :interval < :reportsSinceMs, '2.' || (p.place * :versions / :count), CASE WHEN ${hasFailed} THEN ${group} END,
  :startMs + p.place / :scenarios * :scenarios * :interval - 1, :seq + p.place
FROM places p, model m`;

const insertGroups = `
INSERT INTO failure_groups (instance_id, id, scenario_id, check_text, outcome, kind, first_run_id, last_run_id, occurrences)
SELECT instance_id, failure_group, scenario_id, 'body has count equals 3', '#', 'body_mismatch', min(id), max(id), count(*)
FROM runs WHERE instance_id = :instance AND failure_group IS NOT NULL GROUP BY failure_group, scenario_id
ON CONFLICT DO NOTHING`;

/** Copies of the reports of the real run that passed, and of the one that failed. */
const insertEvidence = (table: string, column: string): string => `
INSERT INTO ${table} (run_id, size_bytes, ${column})
SELECT r.id, m.size_bytes, m.${column} FROM runs r JOIN (
  SELECT o.state, e.size_bytes, e.${column} FROM runs o JOIN ${table} e ON e.run_id = o.id
  WHERE o.instance_id = :instance GROUP BY o.state) AS m ON m.state = r.state
WHERE r.instance_id = :instance AND r.id >= :${table}SinceMs ON CONFLICT DO NOTHING`;

/** Copies of the message about the real run that failed, all sent. */
const insertDeliveries = `
WITH RECURSIVE model AS (SELECT * FROM notification_deliveries LIMIT 1),
  places (place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM places WHERE place < :deliveries)
INSERT INTO notification_deliveries (id, channel_id, change, state, ordinal, grouped, message_id, attempts, created_at_ms, sent_at_ms)
SELECT m.id || '-' || place, m.channel_id, m.change, 'sent', m.ordinal - place * 1000000000, 0, m.id || '-' || place, 1,
  m.created_at_ms - place * 1000000, m.created_at_ms - place * 1000000 FROM places, model m`;

/** Without it the control plane would look for changes to notify of in all of these runs when it starts. */
const skipNotifications =
  'UPDATE notification_position SET seq = (SELECT max(seq) FROM runs WHERE instance_id = :instance)';

const statements = [
  ...[insertRevisions, insertScenarios, insertSuites, insertRuns, insertGroups],
  ...[insertEvidence('reports', 'report'), insertEvidence('bodies', 'body'), insertDeliveries, skipNotifications],
];

/**
 * The store has a run of `instance` that passed already, one that failed with a message about it, and both reports. The last run
 * is before them.
 */
export function fillVariedStore(folder: string, instance: string, count: number): void {
  const database = new Database(getControlStoreFile(folder));
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -200000');
  const read = (statement: string): number => Number(database.prepare(statement).pluck().get());
  const newestMs = read('SELECT min(id) FROM runs');
  // Numbers of JavaScript would be bound as REAL, and divided as such.
  const integers = {
    ...{ count, scenarios: variedScenarios, neverPassing, versions, failedEvery, failures, deliveries },
    interval: intervalMs,
    seq: read('SELECT max(seq) FROM runs'),
    firstRevision: read('SELECT max(id) FROM revisions') + 1,
    startMs: newestMs - count * intervalMs,
    reportsSinceMs: newestMs - reportDays * dayMs,
    bodiesSinceMs: newestMs - bodyDays * dayMs,
  };
  const bound = Object.entries(integers).map(([name, value]) => [name, BigInt(value)] as const);
  const values = { instance, rareText, ...Object.fromEntries(bound) };
  database.transaction(() => {
    for (const statement of statements) database.prepare(statement).run(values);
  })();
  // All of it reaches the disk now: writing it later would slow down what is measured.
  database.pragma('synchronous = FULL');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}
