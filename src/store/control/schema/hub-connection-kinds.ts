/**
 * Connections to the memory service, and a warning about some of a server's tools. SQLite cannot change a table's CHECKs, so
 * the table is created anew; its child tables first, because dropping the old table would delete their rows.
 */
export const hubConnectionKindsMigration = `
CREATE TABLE new_hub_connections (
  id TEXT PRIMARY KEY,
  hub_id TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('http', 'sse', 'stdio', 'memory')),
  url TEXT,
  command TEXT,
  credential TEXT NOT NULL CHECK (credential IN ('none', 'header', 'oauth')),
  header TEXT,
  sharing TEXT CHECK (sharing IN ('shared', 'per_user')),
  client_id TEXT,
  scope TEXT,
  sealed BLOB,
  enabled INTEGER NOT NULL DEFAULT 1,
  state TEXT NOT NULL DEFAULT 'untried',
  last_error TEXT,
  warning TEXT,
  tried_at_ms INTEGER,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  UNIQUE (hub_id, name),
  CHECK ((kind IN ('http', 'sse')) = (url IS NOT NULL) AND (kind = 'stdio') = (command IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO new_hub_connections (id, hub_id, name, kind, url, command, credential, header, sharing, client_id, scope, sealed,
    enabled, state, last_error, tried_at_ms, revision, created_at_ms, created_by)
  SELECT id, hub_id, name, kind, url, command, credential, header, sharing, client_id, scope, sealed,
    enabled, state, last_error, tried_at_ms, revision, created_at_ms, created_by FROM hub_connections;

CREATE TABLE new_hub_upstream_grants (
  connection_id TEXT NOT NULL REFERENCES new_hub_connections (id) ON DELETE CASCADE,
  person_id TEXT REFERENCES people (id) ON DELETE CASCADE,
  sealed BLOB NOT NULL,
  written_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO new_hub_upstream_grants SELECT connection_id, person_id, sealed, written_at_ms FROM hub_upstream_grants;

CREATE TABLE new_hub_tool_pins (
  connection_id TEXT NOT NULL REFERENCES new_hub_connections (id) ON DELETE CASCADE,
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
INSERT INTO new_hub_tool_pins SELECT connection_id, tool, approved, approved_digest, waiting, waiting_digest, flags,
    seen_at_ms, changed_at_ms, approved_by FROM hub_tool_pins;

DROP TABLE hub_tool_pins;
DROP TABLE hub_upstream_grants;
DROP TABLE hub_connections;
ALTER TABLE new_hub_connections RENAME TO hub_connections;
ALTER TABLE new_hub_upstream_grants RENAME TO hub_upstream_grants;
ALTER TABLE new_hub_tool_pins RENAME TO hub_tool_pins;
CREATE UNIQUE INDEX hub_upstream_grants_one ON hub_upstream_grants (connection_id, coalesce(person_id, ''));
CREATE INDEX hub_upstream_grants_by_person ON hub_upstream_grants (person_id) WHERE person_id IS NOT NULL;
-- One memory for each hub.
CREATE UNIQUE INDEX hub_connections_one_memory ON hub_connections (hub_id) WHERE kind = 'memory';
`;
