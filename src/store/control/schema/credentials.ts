/** Agent tokens, and runs that prove their scenario. */
export const agentTokensMigration = `
-- person_id is NULL where the owner key of a control plane without accounts made the token.
CREATE TABLE agent_tokens (
  id TEXT PRIMARY KEY,
  instance_id TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('test', 'product')),
  name TEXT,
  person_id TEXT REFERENCES people (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_tokens_by_instance ON agent_tokens (instance_id);
CREATE INDEX agent_tokens_by_person ON agent_tokens (person_id) WHERE person_id IS NOT NULL;

ALTER TABLE runs ADD COLUMN prove INTEGER NOT NULL DEFAULT 0;
`;

/** Keys of machines that onboarded an instance. */
export const machineKeysMigration = `
-- person_id is NULL where the owner key of a control plane without accounts made the key.
CREATE TABLE machine_keys (
  hash TEXT PRIMARY KEY,
  instance_id TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
  person_id TEXT REFERENCES people (id) ON DELETE CASCADE,
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX machine_keys_by_instance ON machine_keys (instance_id);
CREATE INDEX machine_keys_by_person ON machine_keys (person_id) WHERE person_id IS NOT NULL;
`;
