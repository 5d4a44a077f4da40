/**
 * Pages that people without an account read. `hash` is that of the secret in their address, which is not stored; `tags` is a
 * JSON array. Suites are found by the name that a page selects them by.
 */
export const statusPagesMigration = `
CREATE TABLE status_pages (
  id TEXT PRIMARY KEY,
  instance_id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  tags TEXT NOT NULL,
  suite TEXT,
  branch TEXT,
  stale_after_s INTEGER,
  until_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_viewed_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX status_pages_by_instance ON status_pages (instance_id, created_at_ms);
CREATE INDEX suites_by_name ON suites (instance_id, name, id) WHERE name IS NOT NULL;
`;
