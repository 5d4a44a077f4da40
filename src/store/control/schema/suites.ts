/** Requests for several scenarios. A run of one has retry_of where it replaces an earlier run of the same suite. */
export const suitesMigration = `
ALTER TABLE runs ADD COLUMN suite_id INTEGER;
ALTER TABLE runs ADD COLUMN retry_of INTEGER;
CREATE INDEX runs_by_suite ON runs (suite_id, id) WHERE suite_id IS NOT NULL;
CREATE INDEX runs_by_retry ON runs (retry_of) WHERE retry_of IS NOT NULL;

-- id: the time of the request. expected_runs: without retries; plan: the scenarios of each shard, as JSON.
CREATE TABLE suites (
  id INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  name TEXT,
  key TEXT,
  plan TEXT,
  expected_runs INTEGER NOT NULL,
  rerun_of INTEGER,
  schedule_id TEXT,
  requested_by TEXT NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  target_version TEXT,
  branch TEXT,
  commit_id TEXT,
  author TEXT,
  ci_job TEXT,
  ci_url TEXT
) STRICT;
CREATE INDEX suites_by_instance ON suites (instance_id, id);
CREATE INDEX suites_by_branch ON suites (instance_id, branch, id) WHERE branch IS NOT NULL;
CREATE INDEX suites_by_commit ON suites (instance_id, commit_id, id) WHERE commit_id IS NOT NULL;
CREATE INDEX suites_by_origin ON suites (rerun_of) WHERE rerun_of IS NOT NULL;
CREATE UNIQUE INDEX suites_by_key ON suites (instance_id, key) WHERE key IS NOT NULL;
`;
