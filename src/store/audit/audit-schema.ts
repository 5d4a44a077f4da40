/**
 * The audit's own file. Steps never change once released: add the next one.
 *
 * `entries.body` is JSON and holds everything that the chain attests; the other columns are derived from it, for searching
 * (`*_key` are 32 bits of a hash; for a request id that we numbered, some bits and its number). `arguments` are a table of
 * their own, so that they can be erased without breaking the chain.
 */
import type { StoreKind } from '../database.ts';

const initialMigration = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;

-- One for each hub. Entries up to before_seq have been deleted by retention, and before_mac is that of the last of them.
CREATE TABLE chains (
  hub INTEGER PRIMARY KEY,
  hub_id TEXT NOT NULL UNIQUE,
  before_seq INTEGER NOT NULL,
  before_mac BLOB NOT NULL,
  head_seq INTEGER NOT NULL,
  head_mac BLOB NOT NULL,
  seal BLOB NOT NULL
) STRICT;

-- The newest head of each hub that is safe against a power cut.
CREATE TABLE checkpoints (
  hub INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  mac BLOB NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  hub INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  person_key INTEGER NOT NULL,
  via_key INTEGER NOT NULL,
  connection_key INTEGER NOT NULL,
  tool_key INTEGER NOT NULL,
  request_key INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  body TEXT NOT NULL,
  mac BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX entries_by_seq ON entries (hub, seq);
CREATE INDEX entries_by_time ON entries (hub, at_ms);
CREATE INDEX entries_by_person ON entries (hub, person_key, at_ms);
CREATE INDEX entries_by_via ON entries (hub, via_key, at_ms);
CREATE INDEX entries_by_tool ON entries (hub, tool_key, at_ms);
CREATE INDEX entries_by_outcome ON entries (hub, outcome, at_ms) WHERE outcome <> 0;
CREATE INDEX entries_by_request ON entries (hub, request_key, at_ms) WHERE request_key <> 0;

CREATE TABLE arguments (
  entry INTEGER PRIMARY KEY,
  salt BLOB NOT NULL,
  text TEXT
) STRICT;
`;

const intentsMigration = `
-- Arguments of entries up to this one were erased by retention; the seal attests it. Null in a chain of an earlier version,
-- until the audit is opened.
ALTER TABLE chains ADD COLUMN erased_seq INTEGER;

-- The entry \`started\` of the call whose outcome this entry is.
ALTER TABLE entries ADD COLUMN intent INTEGER;
CREATE INDEX entries_by_intent ON entries (hub, intent) WHERE intent IS NOT NULL;

-- Entries \`started\` without an outcome.
CREATE TABLE open_intents (hub INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (hub, seq)) STRICT, WITHOUT ROWID;
`;

/** A file of version 1, which a reader does not migrate, looks like this one. */
const readerViews = [
  [],
  [
    'CREATE TEMP VIEW chains AS SELECT *, NULL AS erased_seq FROM main.chains',
    'CREATE TEMP VIEW entries AS SELECT *, NULL AS intent FROM main.entries',
  ],
];

/** The audit's store. The application id spells "vpa1". */
export const auditStoreKind: StoreKind = {
  applicationId: 0x76706131,
  migrations: [initialMigration, intentsMigration],
  readerViews,
};
