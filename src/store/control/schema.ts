/**
 * The control plane's schema. Moments are milliseconds since 1970 UTC; `seq` is the commit sequence that streams resume by,
 * from one counter over all tables. Steps never change once released: add the next one. Length: the first steps stand whole.
 */
import type { StoreKind } from '../migrate.ts';
import { agents } from './schema-agents.ts';
import { entrances } from './schema-entrances.ts';
import { evidenceCounts } from './schema-evidence.ts';
import { hubConnectionKinds } from './schema-hub-connections.ts';
import { hubGrants } from './schema-hub-grants.ts';
import { hubPolicies } from './schema-hub-policies.ts';
import { hubs } from './schema-hubs.ts';
import { machines } from './schema-machines.ts';
import { outsideTexts } from './schema-outside-texts.ts';
import { registry } from './schema-registry.ts';

const first = `
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

/** People, how they sign in, and what the OAuth server keeps. Secrets stand as hashes; payloads are sealed. */
const second = `
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  password TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  -- The secret before the last rotation, until the new one has been used.
  previous_hash TEXT,
  rotated_at_ms INTEGER NOT NULL,
  confirmed_at_ms INTEGER,
  proof_hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER NOT NULL,
  address TEXT NOT NULL,
  client TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_previous ON sessions (previous_hash) WHERE previous_hash IS NOT NULL;

-- Browsers that a person signed in with before.
CREATE TABLE known_devices (
  hash TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  used_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX known_devices_by_person ON known_devices (person_id);

CREATE TABLE setup_links (hash TEXT PRIMARY KEY, expires_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  email TEXT,
  created_by TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_person ON invitations (created_by);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  last_used_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_person ON api_keys (person_id);

-- Whatever the OAuth server keeps, by kind; ids, grants and codes as keyed hashes.
CREATE TABLE oauth_records (
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  grant_hash TEXT,
  uid_hash TEXT,
  code_hash TEXT,
  person_id TEXT REFERENCES people (id) ON DELETE CASCADE,
  sealed BLOB NOT NULL,
  expires_at_ms INTEGER,
  consumed_at_ms INTEGER,
  PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_by_grant ON oauth_records (grant_hash) WHERE grant_hash IS NOT NULL;
CREATE INDEX oauth_by_uid ON oauth_records (kind, uid_hash) WHERE uid_hash IS NOT NULL;
CREATE INDEX oauth_by_code ON oauth_records (kind, code_hash) WHERE code_hash IS NOT NULL;
CREATE INDEX oauth_by_person ON oauth_records (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX oauth_by_expiry ON oauth_records (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

CREATE TABLE signing_keys (kid TEXT PRIMARY KEY, sealed BLOB NOT NULL, created_at_ms INTEGER NOT NULL)
  STRICT, WITHOUT ROWID;

-- Whom an instance belongs to; nobody in particular where it was made without an account.
ALTER TABLE instances ADD COLUMN owner_id TEXT;
`;

const third = `
-- Failures without an answer to judge are rare: a page of them must not read all failures (runs.ts has the same words).
CREATE INDEX runs_not_judged ON runs (instance_id, id)
  WHERE state = 'failed' AND failure_kind NOT IN ('status_mismatch', 'body_mismatch', 'evidence_mismatch');
`;

/** The control plane's store. The application id spells "vpc1". */
export const controlStoreKind: StoreKind = {
  applicationId: 0x76706331,
  migrations: [
    first,
    second,
    third,
    entrances,
    agents,
    machines,
    hubs,
    hubPolicies,
    hubConnectionKinds,
    hubGrants,
    registry,
    evidenceCounts,
    outsideTexts,
  ],
};
