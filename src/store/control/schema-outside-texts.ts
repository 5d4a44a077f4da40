/** Texts that were run without being in the catalogue expire by age: their index holds those that have not yet. */
export const outsideTexts = `
CREATE INDEX revisions_to_expire ON revisions (created_at_ms) WHERE revision IS NULL AND text <> '';
`;
