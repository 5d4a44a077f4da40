/** Calls that wait for an approval as tasks of their clients, and what became of them. */
export const hubHeldTasksMigration = `
CREATE TABLE hub_held_tasks (
  id TEXT PRIMARY KEY,
  hub_id TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
  -- The person and the credential that started it: nobody else has it.
  owner TEXT NOT NULL,
  person_id TEXT NOT NULL,
  era TEXT NOT NULL CHECK (era IN ('older', 'newest')),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'completed', 'failed', 'cancelled')),
  approval_id TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  -- Of the OAuth grant; null for a token.
  grant_credential TEXT,
  message TEXT NOT NULL,
  -- The call as its client sent it, sealed; null once it is sent or cannot be sent any more.
  sealed_call BLOB,
  -- Its result or error, sealed.
  sealed_outcome BLOB,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX hub_held_tasks_by_owner ON hub_held_tasks (hub_id, owner, id);
CREATE INDEX hub_held_tasks_by_person ON hub_held_tasks (hub_id, person_id, created_at_ms);
CREATE INDEX hub_held_tasks_open ON hub_held_tasks (approval_id) WHERE state IN ('waiting', 'sending');
CREATE INDEX hub_held_tasks_by_expiry ON hub_held_tasks (expires_at_ms);
`;
