/** Whether clients of a hub list all tools, or search for them. Of a token null: as its hub. */
export const hubToolListsMigration = `
ALTER TABLE hubs ADD COLUMN tool_list TEXT NOT NULL DEFAULT 'all' CHECK (tool_list IN ('all', 'search'));
ALTER TABLE hub_tokens ADD COLUMN tool_list TEXT CHECK (tool_list IN ('all', 'search'));
`;
