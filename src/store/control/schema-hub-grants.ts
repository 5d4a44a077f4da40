/** A step of the control plane's schema (see schema.ts): which hub a grant is for, and the programs that people let in. */
export const hubGrants = `
-- Of grants only. A grant ends with its hub: one that takes the slug later is another hub.
ALTER TABLE oauth_records ADD COLUMN hub_id TEXT REFERENCES hubs (id) ON DELETE CASCADE;
-- How the program called itself when it was let in; of grants only.
ALTER TABLE oauth_records ADD COLUMN client_json TEXT;
CREATE INDEX oauth_by_hub ON oauth_records (hub_id) WHERE hub_id IS NOT NULL;
`;
