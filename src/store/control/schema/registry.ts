/** The registry of MCP servers. */
export const registryMigration = `
-- Never changed but for status and is_latest. Names are ASCII: the collation makes spellings in another case the same name.
CREATE TABLE registry_versions (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE,
  version TEXT NOT NULL,
  document TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'deprecated', 'deleted')),
  status_message TEXT,
  is_latest INTEGER NOT NULL,
  -- The domain that was proven.
  published_by TEXT NOT NULL,
  published_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  UNIQUE (name, version)
) STRICT;
CREATE INDEX registry_by_name ON registry_versions (name, id);
CREATE INDEX registry_latest ON registry_versions (name, id) WHERE is_latest = 1;

-- Addresses of versions: one belongs to one name.
CREATE TABLE registry_addresses (
  url TEXT NOT NULL,
  version_id INTEGER NOT NULL REFERENCES registry_versions (id) ON DELETE CASCADE,
  PRIMARY KEY (url, version_id)
) STRICT, WITHOUT ROWID;

-- What was signed, so that nobody uses it again while its moment lasts.
CREATE TABLE registry_proofs (
  hash TEXT PRIMARY KEY,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE registry_tokens (
  hash TEXT PRIMARY KEY,
  domain TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
