/**
 * Scenarios whose failures do not count until `until_ms`. A run has what was so when it was judged (JSON), so that its verdict
 * stays; null for the other runs.
 */
export const quarantinesMigration = `
CREATE TABLE scenario_quarantines (
  instance_id TEXT NOT NULL,
  scenario_id TEXT NOT NULL,
  until_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  owner TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (instance_id, scenario_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE runs ADD COLUMN quarantine TEXT;
`;
