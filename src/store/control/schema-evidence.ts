/** Lists of runs tell how many checks of the log and the database were judged; null for runs from before this. */
export const evidenceCounts = 'ALTER TABLE runs ADD COLUMN evidence_assertions_count INTEGER;';
