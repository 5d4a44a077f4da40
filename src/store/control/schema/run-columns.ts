/** How many checks of the log and the database were judged; null for older runs. */
export const evidenceCountsMigration = 'ALTER TABLE runs ADD COLUMN evidence_assertions_count INTEGER;';

/** Which process and version of the target answered; null where the run does not show it, and for older runs. */
export const targetIdentityMigration = `
ALTER TABLE runs ADD COLUMN target_process TEXT;
ALTER TABLE runs ADD COLUMN target_version TEXT;
`;

/** Texts that ran without being in the catalogue expire by age; the index holds those that have not expired. */
export const uncataloguedTextsMigration = `
CREATE INDEX revisions_to_expire ON revisions (created_at_ms) WHERE revision IS NULL AND text <> '';
`;

export const finalResult = (row: string) => `CASE WHEN ${row}.state = 'failed' AND ${row}.failure_kind IS NOT NULL
  AND ${row}.failure_kind NOT IN ('status_mismatch', 'body_mismatch', 'evidence_mismatch') THEN 'not_judged' ELSE ${row}.state END`;

/**
 * Finished runs of each instance, by result. They outlive retention, so that they only grow, and the triggers leave no way
 * past them.
 */
export const runTotalsMigration = `
CREATE TABLE run_totals (
  instance_id TEXT NOT NULL,
  result TEXT NOT NULL CHECK (result IN ('passed', 'failed', 'not_judged', 'cancelled')),
  runs INTEGER NOT NULL,
  PRIMARY KEY (instance_id, result)
) STRICT, WITHOUT ROWID;
INSERT INTO run_totals SELECT instance_id, ${finalResult('runs')} AS result, count(*) FROM runs
  WHERE state IN ('passed', 'failed', 'cancelled') GROUP BY instance_id, result;
CREATE TRIGGER run_totals_in AFTER INSERT ON runs WHEN new.state IN ('passed', 'failed', 'cancelled') BEGIN
  INSERT INTO run_totals VALUES (new.instance_id, ${finalResult('new')}, 1)
    ON CONFLICT (instance_id, result) DO UPDATE SET runs = runs + 1;
END;
CREATE TRIGGER run_totals_end AFTER UPDATE OF state ON runs
  WHEN old.state IN ('queued', 'in_progress') AND new.state IN ('passed', 'failed', 'cancelled') BEGIN
  INSERT INTO run_totals VALUES (new.instance_id, ${finalResult('new')}, 1)
    ON CONFLICT (instance_id, result) DO UPDATE SET runs = runs + 1;
END;
`;

/** What each executor's journal said last, and when its store, or this one, turned out to be an older copy. */
export const executorJournalsMigration = `
ALTER TABLE instances ADD COLUMN journal_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE instances ADD COLUMN journal_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE instances ADD COLUMN stale_journal_at_ms INTEGER;
ALTER TABLE instances ADD COLUMN stale_control_at_ms INTEGER;
`;
