/** A step of the control plane's schema (see schema.ts): tokens of agents, and runs that prove their scenario. */
export const agents = `
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
