/** What runs by itself, and what became of each tick. Its unique key is why a tick is requested once. */
export const schedulesMigration = `
ALTER TABLE runs ADD COLUMN schedule_id TEXT;
CREATE INDEX runs_open_by_schedule ON runs (instance_id, schedule_id)
  WHERE schedule_id IS NOT NULL AND state IN ('queued', 'in_progress');

-- tick_at_ms: the next tick that was not handled; null until it is computed, while paused, and without times.
-- due_at_ms: the same with jitter. observed_version: of the target, for schedules of new versions.
CREATE TABLE schedules (
  instance_id TEXT NOT NULL,
  id TEXT NOT NULL,
  definition TEXT NOT NULL,
  source TEXT NOT NULL,
  paused_at_ms INTEGER,
  paused_by TEXT,
  tick_at_ms INTEGER,
  due_at_ms INTEGER,
  sealed_secret BLOB,
  observed_version TEXT,
  created_at_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  PRIMARY KEY (instance_id, id)
) STRICT, WITHOUT ROWID;

-- tick: the nominal time, the id of a webhook's message, or the run that had another version.
CREATE TABLE schedule_ticks (
  instance_id TEXT NOT NULL,
  schedule_id TEXT NOT NULL,
  tick TEXT NOT NULL,
  due_at_ms INTEGER NOT NULL,
  handled_at_ms INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  note TEXT,
  run_ids TEXT NOT NULL,
  PRIMARY KEY (instance_id, schedule_id, tick)
) STRICT, WITHOUT ROWID;
CREATE INDEX schedule_ticks_by_time ON schedule_ticks (instance_id, schedule_id, handled_at_ms);
CREATE INDEX schedule_ticks_by_age ON schedule_ticks (handled_at_ms);
`;

export const runVersionsMigration = `
-- The newest version of an instance that never names one must not read all of its runs (schedules.ts has the same words).
CREATE INDEX runs_with_version ON runs (instance_id, id) WHERE target_version IS NOT NULL;
`;
