/** Hubs, their members, connections and personal access tokens. */
export const hubsMigration = `
CREATE TABLE hubs (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Every slug that a hub ever had: an address that people saved must not come to mean another hub.
CREATE TABLE hub_slugs (
  slug TEXT PRIMARY KEY,
  hub_id TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX hub_slugs_by_hub ON hub_slugs (hub_id);

CREATE TABLE hub_members (
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  hub_id TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  added_at_ms INTEGER NOT NULL,
  PRIMARY KEY (person_id, hub_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX hub_members_by_hub ON hub_members (hub_id);

-- sealed: the newest plaintext, for its maker to see again; erased when the token ends.
CREATE TABLE hub_tokens (
  id TEXT PRIMARY KEY,
  hub_id TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  expiry TEXT NOT NULL CHECK (expiry IN ('30 days', '90 days', '1 year', 'No expiration')),
  created_at_ms INTEGER NOT NULL,
  rotated_at_ms INTEGER,
  expires_at_ms INTEGER,
  sealed BLOB,
  last_used_at_ms INTEGER,
  last_address TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX hub_tokens_by_person ON hub_tokens (person_id);
CREATE INDEX hub_tokens_by_hub ON hub_tokens (hub_id);

-- What opens a token: the newest secret, and those before it for as long as their maker let them hold.
CREATE TABLE hub_token_secrets (
  hash TEXT PRIMARY KEY,
  token_id TEXT NOT NULL REFERENCES hub_tokens (id) ON DELETE CASCADE,
  ends_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX hub_token_secrets_by_token ON hub_token_secrets (token_id);

-- sealed: the header's value, or the secret of the OAuth client. revision grows with each change.
CREATE TABLE hub_connections (
  id TEXT PRIMARY KEY,
  hub_id TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('http', 'sse', 'stdio')),
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
  tried_at_ms INTEGER,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  UNIQUE (hub_id, name),
  CHECK ((kind = 'stdio') = (url IS NULL) AND (kind = 'stdio') = (command IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- What an upstream's OAuth server gave: to the hub (no person), or to one person.
CREATE TABLE hub_upstream_grants (
  connection_id TEXT NOT NULL REFERENCES hub_connections (id) ON DELETE CASCADE,
  person_id TEXT REFERENCES people (id) ON DELETE CASCADE,
  sealed BLOB NOT NULL,
  written_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX hub_upstream_grants_one ON hub_upstream_grants (connection_id, coalesce(person_id, ''));
CREATE INDEX hub_upstream_grants_by_person ON hub_upstream_grants (person_id) WHERE person_id IS NOT NULL;
`;

/** Policies of hubs, and pinned tool definitions. */
export const hubPoliciesMigration = `
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

/** The hub of an OAuth grant, and the client as it was when the person gave consent. */
export const hubGrantsMigration = `
-- Of grants only. A grant ends with its hub: one that takes the slug later is another hub.
ALTER TABLE oauth_records ADD COLUMN hub_id TEXT REFERENCES hubs (id) ON DELETE CASCADE;
-- How the program called itself when it was let in; of grants only.
ALTER TABLE oauth_records ADD COLUMN client_json TEXT;
CREATE INDEX oauth_by_hub ON oauth_records (hub_id) WHERE hub_id IS NOT NULL;
`;
