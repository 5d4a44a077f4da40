/** A step of the control plane's schema (see schema.ts): what hubs allow, and the definitions of tools that are pinned. */
export const hubPolicies = `
-- Every revision, so that it can be told who allowed what and when.
CREATE TABLE hub_policies (
  hub_id TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  document TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  changed_by TEXT NOT NULL,
  PRIMARY KEY (hub_id, revision)
) STRICT, WITHOUT ROWID;

-- approved: the definition that may be called; waiting: what its server says instead, until an owner approves.
CREATE TABLE hub_tool_pins (
  connection_id TEXT NOT NULL REFERENCES hub_connections (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  approved TEXT,
  approved_digest TEXT,
  waiting TEXT,
  waiting_digest TEXT,
  flags TEXT NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER,
  approved_by TEXT,
  PRIMARY KEY (connection_id, tool)
) STRICT, WITHOUT ROWID;
`;
