/** A step of the control plane's schema (see schema.ts): keys of machines that onboarded an instance. */
export const machines = `
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
