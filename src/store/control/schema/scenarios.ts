/** What became of scenarios that left the catalogue, where restored texts come from, and what folders were imported as. */
export const scenarioLifecycleMigration = `
-- Null for scenarios in the catalogue; renamed_to is set instead of a deletion when the scenario goes on under another id.
ALTER TABLE scenarios ADD COLUMN removed_at_ms INTEGER;
ALTER TABLE scenarios ADD COLUMN removed_by TEXT;
ALTER TABLE scenarios ADD COLUMN renamed_to TEXT;
CREATE INDEX scenarios_renamed ON scenarios (instance_id, renamed_to) WHERE renamed_to IS NOT NULL;
ALTER TABLE revisions ADD COLUMN restored_from INTEGER;

-- The text of a file at its last import, and the revision that the catalogue had then. source: a digest of machine and path.
CREATE TABLE scenario_imports (
  instance_id TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  source TEXT NOT NULL,
  revision INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  imported_at_ms INTEGER NOT NULL,
  PRIMARY KEY (instance_id, scenario_id, source)
) STRICT, WITHOUT ROWID;
`;
