/** Pins of everything that a server lists, not only of its tools. */
export const definitionPinsMigration = `
-- approved: the definition that may be used; waiting: what its server says instead, until an owner approves.
CREATE TABLE hub_definition_pins (
  connection_id TEXT NOT NULL REFERENCES hub_connections (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('tool', 'prompt', 'resource', 'template')),
  -- Of resources their URI, of templates their URI template.
  name TEXT NOT NULL,
  approved TEXT,
  approved_digest TEXT,
  waiting TEXT,
  waiting_digest TEXT,
  flags TEXT NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER,
  approved_by TEXT,
  PRIMARY KEY (connection_id, kind, name)
) STRICT, WITHOUT ROWID;
INSERT INTO hub_definition_pins SELECT connection_id, 'tool', tool, approved, approved_digest, waiting, waiting_digest, flags,
    seen_at_ms, changed_at_ms, approved_by FROM hub_tool_pins;
DROP TABLE hub_tool_pins;

-- When a connection first answered which definitions of a kind it has, even if it had none.
CREATE TABLE hub_first_lists (
  connection_id TEXT NOT NULL REFERENCES hub_connections (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (connection_id, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO hub_first_lists SELECT connection_id, kind, min(seen_at_ms) FROM hub_definition_pins GROUP BY connection_id, kind;
`;
