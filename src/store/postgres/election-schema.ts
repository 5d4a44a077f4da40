/** Tables with which replicas of a control plane agree on the active one. */

/**
 * Every statement can be repeated. `renewals` changes with every renewal, so that a standby can see without any clock whether
 * the active replica lives. `session_pid` is the server process of the connection with which the active replica holds the
 * session lock; NULL where a pooler shares connections. `ended_by` says how the term before the current one ended.
 */
export const electionSchema = `
CREATE SCHEMA IF NOT EXISTS vp;
CREATE TABLE IF NOT EXISTS vp.replicas (
  id text PRIMARY KEY,
  address text NOT NULL,
  version text NOT NULL,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL
);
CREATE TABLE IF NOT EXISTS vp.active_replica (
  only_row int PRIMARY KEY CHECK (only_row = 1),
  epoch bigint NOT NULL,
  replica_id text,
  renewals bigint NOT NULL DEFAULT 0,
  renewed_at timestamptz,
  expires_at timestamptz,
  session_pid int,
  ended_by text CHECK (ended_by IN ('release', 'loss')),
  key_fingerprint text
);
INSERT INTO vp.active_replica (only_row, epoch) VALUES (1, 0) ON CONFLICT DO NOTHING;
`;
