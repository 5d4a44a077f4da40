/** Who is notified of changes. Deliveries are the outbox and its log: one row for a change and a channel. */
export const notificationsMigration = `
CREATE TABLE notification_channels (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  destination TEXT NOT NULL,
  sealed_target BLOB NOT NULL,
  routing TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  updated_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Runs up to this commit have been looked at; no row: begin with the present.
CREATE TABLE notification_position (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL
) STRICT;

-- Changes that are not those of a run, written in the transaction in which they happen.
CREATE TABLE notification_inbox (
  id TEXT PRIMARY KEY,
  change TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- message_id: of the message that the change is in, from its first attempt on. grouped: it waited for others. ordinal: the
-- order of the changes, a thousand for each millisecond.
CREATE TABLE notification_deliveries (
  id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  change TEXT NOT NULL,
  state TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  grouped INTEGER NOT NULL,
  message_id TEXT,
  attempts INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  next_at_ms INTEGER,
  sent_at_ms INTEGER,
  problem TEXT,
  PRIMARY KEY (id, channel_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notification_deliveries_by_order ON notification_deliveries (ordinal);
CREATE INDEX notification_deliveries_due ON notification_deliveries (channel_id, next_at_ms) WHERE state = 'pending';
CREATE INDEX notification_deliveries_failed ON notification_deliveries (channel_id) WHERE state = 'failed';
`;
