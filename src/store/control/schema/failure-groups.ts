/**
 * Failed runs by what failed. Runs that failed before this step are grouped in the background (ungrouped_failures): their
 * fingerprints are computed from reports, which SQL cannot do.
 */
export const failureGroupsMigration = `
ALTER TABLE runs ADD COLUMN failure_group TEXT;
CREATE INDEX runs_by_failure_group ON runs (instance_id, failure_group, id) WHERE failure_group IS NOT NULL;

-- id: the start of the digest of the fingerprint. A group is open while resolved_at_ms is null.
CREATE TABLE failure_groups (
  instance_id TEXT NOT NULL,
  id TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  check_text TEXT,
  step TEXT,
  line INTEGER,
  outcome TEXT NOT NULL,
  kind TEXT NOT NULL,
  first_run_id INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL,
  occurrences INTEGER NOT NULL,
  resolved_at_ms INTEGER,
  resolved_by TEXT,
  reopened_run_id INTEGER,
  assignee TEXT,
  note TEXT,
  PRIMARY KEY (instance_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX failure_groups_by_last_run ON failure_groups (instance_id, last_run_id);

-- Instances whose earlier failures are still to be grouped: those below this run.
CREATE TABLE ungrouped_failures (instance_id TEXT PRIMARY KEY, below_run_id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO ungrouped_failures SELECT DISTINCT instance_id, 9007199254740991 FROM runs WHERE state = 'failed';
`;
