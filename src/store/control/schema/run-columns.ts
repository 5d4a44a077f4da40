/** How many checks of the log and the database were judged; null for older runs. */
export const evidenceCountsMigration = 'ALTER TABLE runs ADD COLUMN evidence_assertions_count INTEGER;';

/** Texts that ran without being in the catalogue expire by age; the index holds those that have not expired. */
export const uncataloguedTextsMigration = `
CREATE INDEX revisions_to_expire ON revisions (created_at_ms) WHERE revision IS NULL AND text <> '';
`;
