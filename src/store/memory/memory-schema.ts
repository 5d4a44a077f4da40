/**
 * The memory service's schema. `part` names the partition of a memory as one word. It is a column of the full-text index too,
 * so that a search reads its own partition only. Steps never change once released: add the next one.
 */
import type { StoreKind } from '../database.ts';

const initialMigration = `
-- What belongs to a person of a hub, or to the hub (no person).
CREATE TABLE partitions (
  id INTEGER PRIMARY KEY,
  hub_id TEXT NOT NULL,
  person_id TEXT NOT NULL,
  memories INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  UNIQUE (hub_id, person_id)
) STRICT;

CREATE TABLE memories (
  id INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL REFERENCES partitions (id) ON DELETE CASCADE,
  part TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  tags TEXT NOT NULL,
  author_id TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX memories_by_key ON memories (partition, key);
CREATE INDEX memories_by_time ON memories (partition, updated_at_ms, key);

CREATE VIRTUAL TABLE memories_text USING fts5 (
  part, body, tags, content='memories', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
  INSERT INTO memories_text (rowid, part, body, tags) VALUES (new.id, new.part, new.body, new.tags);
END;
CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
  INSERT INTO memories_text (memories_text, rowid, part, body, tags)
  VALUES ('delete', old.id, old.part, old.body, old.tags);
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF body, tags ON memories BEGIN
  INSERT INTO memories_text (memories_text, rowid, part, body, tags)
  VALUES ('delete', old.id, old.part, old.body, old.tags);
  INSERT INTO memories_text (rowid, part, body, tags) VALUES (new.id, new.part, new.body, new.tags);
END;
`;

/** Deleted memories are removed from the index's terms too. */
const secureDeleteMigration = `INSERT INTO memories_text (memories_text, rank) VALUES ('secure-delete', 1);`;

/** The memory service's store. The application id spells "vpm1". */
export const memoryStoreKind: StoreKind = {
  applicationId: 0x76706d31,
  migrations: [initialMigration, secureDeleteMigration],
};
