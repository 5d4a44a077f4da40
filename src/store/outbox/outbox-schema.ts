/**
 * The executor's own store: the runs it started, and reports that no control plane has acknowledged. Times are milliseconds
 * since 1970 UTC. Steps never change once released: add the next one.
 *
 * States of a row: `started` (its first byte may have been sent; the executor's one slot, at most one row), `finished` (its
 * report is to be sent), `acknowledged` (kept for a while so that no run is started twice), `refused` (the control plane
 * refused the report; sent again after the next start), `abandoned` (started, and the executor ended before there was a
 * report; to be reported once).
 */
import type { StoreKind } from '../database.ts';

const initialMigration = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  seq INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  origin TEXT NOT NULL CHECK (origin IN ('queue', 'direct')),
  fence INTEGER,
  state TEXT NOT NULL CHECK (state IN ('started', 'finished', 'acknowledged', 'refused', 'abandoned')),
  started_at_ms INTEGER NOT NULL,
  scenario_text TEXT,
  report TEXT,
  refusal TEXT,
  CHECK (origin = 'direct' OR fence IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX runs_one_slot ON runs (state) WHERE state = 'started';
CREATE INDEX runs_waiting ON runs (origin, seq) WHERE state = 'finished';
CREATE INDEX runs_set_apart ON runs (state, seq) WHERE state IN ('refused', 'abandoned');
`;

/**
 * Run ids of direct runs come from this machine's clock, those of leased runs from the control plane's, so the same id may
 * occur twice: a run is identified by origin and id. SQLite can drop a constraint only with its table.
 */
const originMigration = `
ALTER TABLE runs RENAME TO runs_before;
CREATE TABLE runs (
  seq INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('queue', 'direct')),
  fence INTEGER,
  state TEXT NOT NULL CHECK (state IN ('started', 'finished', 'acknowledged', 'refused', 'abandoned')),
  started_at_ms INTEGER NOT NULL,
  scenario_text TEXT,
  report TEXT,
  refusal TEXT,
  CHECK (origin = 'direct' OR fence IS NOT NULL),
  UNIQUE (run_id, origin)
) STRICT;
INSERT INTO runs SELECT seq, run_id, origin, fence, state, started_at_ms, scenario_text, report, refusal FROM runs_before;
DROP TABLE runs_before;
CREATE UNIQUE INDEX runs_one_slot ON runs (state) WHERE state = 'started';
CREATE INDEX runs_waiting ON runs (origin, seq) WHERE state = 'finished';
CREATE INDEX runs_set_apart ON runs (state, seq) WHERE state IN ('refused', 'abandoned');
`;

/**
 * The progress of runs that consist of several requests, while they are in the slot, and of abandoned ones until their cleanup
 * was tried. `request` is the RunRequest, `progress` is in executor/runs/chain-journal.ts; both are JSON.
 */
const chainsMigration = `
CREATE TABLE chains (
  run_id TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('queue', 'direct')),
  request TEXT NOT NULL,
  progress TEXT NOT NULL,
  PRIMARY KEY (run_id, origin)
) STRICT, WITHOUT ROWID;
`;

/**
 * The key of `runs_open` behind `state`: one run can be started, and those that are finished follow by origin in their order. Queries
 * use the same words.
 */
export const openOrigin = "CASE state WHEN 'started' THEN '' ELSE origin END";
export const openSeq = "CASE state WHEN 'started' THEN 0 ELSE seq END";

/** Both changes of a run, its start and its report, write each page that they need: two indexes and two counters had four. */
const fewerPagesMigration = `
DROP INDEX runs_one_slot;
DROP INDEX runs_waiting;
CREATE UNIQUE INDEX runs_open ON runs (state, ${openOrigin}, ${openSeq}) WHERE state = 'started' OR state = 'finished';
CREATE TABLE IF NOT EXISTS store_position (id INTEGER PRIMARY KEY CHECK (id = 1), commits INTEGER NOT NULL) STRICT;
INSERT INTO meta SELECT 'commits', CAST(commits AS TEXT) FROM store_position;
DROP TABLE store_position;
`;

/** The executor's store. The application id spells "vpe1". */
export const outboxStoreKind: StoreKind = {
  applicationId: 0x76706531,
  migrations: [initialMigration, originMigration, chainsMigration, fewerPagesMigration],
  countsCommitsInMeta: true,
};
