/** What the audit's own file must still contain: it could be lost or replaced by an older copy without the other stores. */
export const auditAnchorsMigration = `
-- The end of each hub's chain, as it was when it was safe on the disk.
CREATE TABLE audit_anchors (
  hub_id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  mac BLOB NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Losses that an operator has accepted, so that the control plane starts. The anchor is that which was not met.
CREATE TABLE audit_losses (
  id INTEGER PRIMARY KEY,
  hub_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  problem TEXT NOT NULL,
  accepted_at_ms INTEGER NOT NULL
) STRICT;
`;
