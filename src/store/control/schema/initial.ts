/** The first step: instances, scenarios, runs, reports and keys. */
export const initialMigration = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE data_keys (
  id INTEGER PRIMARY KEY,
  purpose TEXT NOT NULL,
  sealed BLOB NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE service_keys (
  kind TEXT PRIMARY KEY CHECK (kind IN ('owner', 'scrape')),
  hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE instances (
  id TEXT PRIMARY KEY,
  tier TEXT NOT NULL,
  executor_port INTEGER,
  created_at_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  epoch INTEGER NOT NULL DEFAULT 0,
  fence INTEGER NOT NULL DEFAULT 0,
  executor_store_id TEXT,
  executor_version TEXT,
  target TEXT,
  scenario_variables TEXT,
  last_seen_at_ms INTEGER,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE gone_instances (seq INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT;

-- Texts of scenarios: the catalogue's revisions, and texts run without being in it (revision NULL).
CREATE TABLE revisions (
  id INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  revision INTEGER,
  title TEXT NOT NULL,
  layer TEXT NOT NULL,
  tags TEXT NOT NULL,
  text TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX revisions_of_catalogue ON revisions (instance_id, scenario_id, revision) WHERE revision IS NOT NULL;
CREATE UNIQUE INDEX revisions_outside ON revisions (instance_id, scenario_id, sha256) WHERE revision IS NULL;

CREATE TABLE scenarios (
  instance_id TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  revision_id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  seq INTEGER NOT NULL,
  PRIMARY KEY (instance_id, scenario_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX scenarios_by_seq ON scenarios (seq);

-- id: the moment of the request in milliseconds; the run id is its text.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  revision_id INTEGER NOT NULL,
  correlation_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'in_progress', 'passed', 'failed', 'cancelled')),
  origin TEXT NOT NULL,
  requested_by TEXT NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  leased_at_ms INTEGER,
  started_at_ms INTEGER,
  finished_at_ms INTEGER,
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER,
  fence INTEGER,
  failure_kind TEXT,
  failure_message TEXT,
  failure_summary TEXT,
  observed_status INTEGER,
  assertions_enforced_count INTEGER,
  duration_ms REAL,
  report_expired INTEGER NOT NULL DEFAULT 0,
  seq INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX runs_one_in_progress ON runs (instance_id) WHERE state = 'in_progress';
CREATE INDEX runs_queued ON runs (instance_id, id) WHERE state = 'queued';
CREATE INDEX runs_failed ON runs (instance_id, id) WHERE state = 'failed';
CREATE INDEX runs_by_instance ON runs (instance_id, id);
CREATE INDEX runs_cancelled ON runs (instance_id, id) WHERE state = 'cancelled';
CREATE INDEX runs_by_scenario ON runs (scenario_id, id);
CREATE INDEX runs_by_seq ON runs (seq);
CREATE UNIQUE INDEX runs_direct ON runs (instance_id, correlation_id) WHERE origin = 'direct';

CREATE TABLE reports (run_id INTEGER PRIMARY KEY, size_bytes INTEGER NOT NULL, report TEXT NOT NULL) STRICT;
CREATE TABLE bodies (run_id INTEGER PRIMARY KEY, size_bytes INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
-- Their sizes together, kept by triggers: adding up a million rows would read gigabytes.
CREATE TABLE stored_bytes (only INTEGER PRIMARY KEY CHECK (only = 1), bytes INTEGER NOT NULL) STRICT;
INSERT INTO stored_bytes VALUES (1, 0);
CREATE TRIGGER reports_in AFTER INSERT ON reports BEGIN UPDATE stored_bytes SET bytes = bytes + new.size_bytes; END;
CREATE TRIGGER reports_out AFTER DELETE ON reports BEGIN UPDATE stored_bytes SET bytes = bytes - old.size_bytes; END;
CREATE TRIGGER bodies_in AFTER INSERT ON bodies BEGIN UPDATE stored_bytes SET bytes = bytes + new.size_bytes; END;
CREATE TRIGGER bodies_out AFTER DELETE ON bodies BEGIN UPDATE stored_bytes SET bytes = bytes - old.size_bytes; END;
-- Reports of runs that had already ended without them (executor_lost), or that this store never knew.
CREATE TABLE late_reports (
  run_id INTEGER NOT NULL,
  instance_id TEXT NOT NULL,
  correlation_id TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  report TEXT NOT NULL,
  PRIMARY KEY (run_id, instance_id)
) STRICT;
CREATE TRIGGER late_reports_in AFTER INSERT ON late_reports
  BEGIN UPDATE stored_bytes SET bytes = bytes + new.size_bytes; END;
CREATE TRIGGER late_reports_out AFTER DELETE ON late_reports
  BEGIN UPDATE stored_bytes SET bytes = bytes - old.size_bytes; END;

CREATE TABLE request_keys (
  instance_id TEXT NOT NULL,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  run_ids TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (instance_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_keys_by_age ON request_keys (created_at_ms);
`;
