/** Who looks after a scenario, and a JSON array of web addresses; null for texts without, and for older revisions. */
export const scenarioOwnersMigration = `
ALTER TABLE revisions ADD COLUMN owner TEXT;
ALTER TABLE revisions ADD COLUMN links TEXT;
`;
