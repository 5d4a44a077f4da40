/**
 * Tables with which replicas of a control plane agree on the active one. Nothing here is updated as time passes: while something
 * holds the horizon of the database, a row that is would be read behind all its earlier versions.
 */

/**
 * Every statement can be repeated. `last_renewal` is a moment by the clock of the database, in microseconds: it changes with every
 * renewal, so that a standby can see without any clock whether the active replica lives. It is a sequence because a sequence has no
 * earlier versions. `session_pid` is the server process of the connection with which the active replica holds the session lock;
 * NULL where a pooler shares connections. `ended_by` says how the term before the current one ended.
 */
export const electionSchema = `
CREATE SCHEMA IF NOT EXISTS vp;
CREATE TABLE IF NOT EXISTS vp.replicas (
  id text PRIMARY KEY,
  address text NOT NULL,
  version text NOT NULL,
  started_at timestamptz NOT NULL
);
CREATE TABLE IF NOT EXISTS vp.heartbeats (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  replica_id text NOT NULL,
  at timestamptz NOT NULL
);
CREATE TABLE IF NOT EXISTS vp.active_replica (
  only_row int PRIMARY KEY CHECK (only_row = 1),
  epoch bigint NOT NULL,
  replica_id text,
  expiry_ms int,
  session_pid int,
  ended_by text CHECK (ended_by IN ('release', 'loss')),
  key_fingerprint text
);
CREATE SEQUENCE IF NOT EXISTS vp.last_renewal AS bigint MINVALUE 0 START 0;
INSERT INTO vp.active_replica (only_row, epoch) VALUES (1, 0) ON CONFLICT DO NOTHING;
`;

/**
 * For tables of a version before, and only then: changes to tables in use can lock each other out. In the order in which
 * replicas that look at the election lock them.
 */
export const electionChanges = `
ALTER TABLE vp.active_replica ADD COLUMN IF NOT EXISTS expiry_ms int,
  DROP COLUMN IF EXISTS renewals, DROP COLUMN IF EXISTS renewed_at, DROP COLUMN IF EXISTS expires_at;
ALTER TABLE vp.replicas DROP COLUMN IF EXISTS heartbeat_at;
`;
