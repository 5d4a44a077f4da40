/**
 * How long a run waited for its log and database after the answer; null for runs that ended before this step. What lies between its start
 * and its end is no measure of that: steps, earlier cases and attempts do too.
 */
export const evidenceTimesMigration = `
ALTER TABLE runs ADD COLUMN evidence_ms REAL;
`;
