/**
 * The executor's own store: which runs it started, and reports no control plane has taken yet. Moments are milliseconds
 * since 1970 UTC. Steps never change once released: add the next one.
 *
 * States of a row: `started` (its first byte may have left; the executor's one slot, at most one row), `finished` (its
 * report waits to be sent), `acknowledged` (taken; kept for a while so that no run is ever started twice), `refused` (the
 * control plane will not take the report; tried again after the next start), `abandoned` (started, and the executor ended
 * before there was a report; to be told once).
 */
import type { StoreKind } from '../migrate.ts';

const first = `
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
 * Run ids of direct runs come from this machine's clock, those of leased ones from the control plane's: both may give the
 * same one, so a run is known by its origin and its id. SQLite drops a constraint only with its table.
 */
const second = `
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

/** The executor's store. The application id spells "vpe1". */
export const outboxStoreKind: StoreKind = { applicationId: 0x76706531, migrations: [first, second] };
