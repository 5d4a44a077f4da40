/** Calls that wait for an approval, and what became of them. */
export const hubApprovalsMigration = `
CREATE TABLE hub_approvals (
  id TEXT PRIMARY KEY,
  hub_id TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'used', 'expired', 'withdrawn', 'void')),
  -- Digest of everything that the approval is bound to.
  binding TEXT NOT NULL,
  call_digest TEXT NOT NULL,
  person_id TEXT NOT NULL,
  -- Who calls, with which client, and the server and tool: JSON.
  subject TEXT NOT NULL,
  connection TEXT NOT NULL,
  tool TEXT NOT NULL,
  policy_revision INTEGER NOT NULL,
  -- The call as it would be sent, sealed; null once it can no longer be sent.
  sealed_call BLOB,
  -- What the policy lets the audit store of the arguments.
  stored_arguments TEXT,
  requested_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  decided_at_ms INTEGER,
  decided_by_id TEXT,
  decided_by TEXT,
  comment TEXT,
  ended_at_ms INTEGER
) STRICT, WITHOUT ROWID;
-- One open request for each call.
CREATE UNIQUE INDEX hub_approvals_open ON hub_approvals (hub_id, binding) WHERE state IN ('pending', 'approved', 'denied');
CREATE INDEX hub_approvals_by_hub ON hub_approvals (hub_id, requested_at_ms);
CREATE INDEX hub_approvals_by_expiry ON hub_approvals (expires_at_ms) WHERE state IN ('pending', 'approved', 'denied');
`;
