/** The last time that the control plane trusted, and what the clock of the machine said after a jump (timing/steady-clock.ts). */
export const clockStateMigration = `
CREATE TABLE clock_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  trusted_ms INTEGER NOT NULL,
  candidate_ms INTEGER,
  agreed_ms INTEGER NOT NULL
) STRICT;
`;
