/**
 * Accounts of external identity providers, links that set a new password, and the last use of OAuth grants.
 */
export const signInMigration = `
-- Whom an outside provider's account stands for. A row without a person bars one whose account here was removed.
CREATE TABLE single_sign_on (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  person_id TEXT REFERENCES people (id) ON DELETE SET NULL,
  linked_at_ms INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX single_sign_on_by_person ON single_sign_on (person_id) WHERE person_id IS NOT NULL;

CREATE TABLE password_links (
  hash TEXT PRIMARY KEY,
  person_id TEXT NOT NULL UNIQUE REFERENCES people (id) ON DELETE CASCADE,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Of grants only.
ALTER TABLE oauth_records ADD COLUMN last_used_at_ms INTEGER;
ALTER TABLE oauth_records ADD COLUMN last_address TEXT;
`;
