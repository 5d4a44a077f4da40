/**
 * Named filters of pages. `filters` is a JSON object of texts; `person_id` is the account of a personal view, null for
 * those that everyone sees.
 */
export const savedViewsMigration = `
CREATE TABLE saved_views (
  instance_id TEXT NOT NULL,
  id TEXT NOT NULL,
  page TEXT NOT NULL,
  name TEXT NOT NULL,
  filters TEXT NOT NULL,
  person_id TEXT,
  created_by TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (instance_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX saved_views_by_person ON saved_views (person_id) WHERE person_id IS NOT NULL;
`;
