/** The era of MCP in which a connection is called: found out, or chosen by an owner. */
export const hubConnectionProtocolMigration = `
ALTER TABLE hub_connections ADD COLUMN protocol TEXT NOT NULL DEFAULT 'auto' CHECK (protocol IN ('auto', 'newest', 'older'));
`;
