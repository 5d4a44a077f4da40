/** What was used of the budgets of a hub in a day or month, up to an entry of its audit. */
export const hubBudgetsMigration = `
CREATE TABLE hub_budget_usage (
  hub_id TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
  period TEXT NOT NULL CHECK (period IN ('day', 'month')),
  start_ms INTEGER NOT NULL,
  -- The last entry of the hub's audit that is counted.
  audit_seq INTEGER NOT NULL,
  -- Calls and bytes by person, token, connection and tool: JSON.
  usage TEXT NOT NULL,
  PRIMARY KEY (hub_id, period)
) STRICT, WITHOUT ROWID;
`;
