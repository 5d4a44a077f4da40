/** People, how they sign in, and the OAuth server's records. Secrets are stored as hashes; payloads are sealed. */
export const accountsMigration = `
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  password TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  -- The secret before the last rotation, until the new one has been used.
  previous_hash TEXT,
  rotated_at_ms INTEGER NOT NULL,
  confirmed_at_ms INTEGER,
  proof_hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER NOT NULL,
  address TEXT NOT NULL,
  client TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_previous ON sessions (previous_hash) WHERE previous_hash IS NOT NULL;

-- Browsers that a person signed in with before.
CREATE TABLE known_devices (
  hash TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  used_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX known_devices_by_person ON known_devices (person_id);

CREATE TABLE setup_links (hash TEXT PRIMARY KEY, expires_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  email TEXT,
  created_by TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_person ON invitations (created_by);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  last_used_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_person ON api_keys (person_id);

-- Whatever the OAuth server keeps, by kind; ids, grants and codes as keyed hashes.
CREATE TABLE oauth_records (
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  grant_hash TEXT,
  uid_hash TEXT,
  code_hash TEXT,
  person_id TEXT REFERENCES people (id) ON DELETE CASCADE,
  sealed BLOB NOT NULL,
  expires_at_ms INTEGER,
  consumed_at_ms INTEGER,
  PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_by_grant ON oauth_records (grant_hash) WHERE grant_hash IS NOT NULL;
CREATE INDEX oauth_by_uid ON oauth_records (kind, uid_hash) WHERE uid_hash IS NOT NULL;
CREATE INDEX oauth_by_code ON oauth_records (kind, code_hash) WHERE code_hash IS NOT NULL;
CREATE INDEX oauth_by_person ON oauth_records (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX oauth_by_expiry ON oauth_records (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

CREATE TABLE signing_keys (kid TEXT PRIMARY KEY, sealed BLOB NOT NULL, created_at_ms INTEGER NOT NULL)
  STRICT, WITHOUT ROWID;

-- Whom an instance belongs to; nobody in particular where it was made without an account.
ALTER TABLE instances ADD COLUMN owner_id TEXT;
`;
