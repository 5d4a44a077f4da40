import type Sqlite from 'better-sqlite3';

/** A prepared statement of better-sqlite3; rows are validated where they are read (see rows.ts). */
export type Statement = Sqlite.Statement<unknown[]>;

/** What an operation works with: statements, prepared once for each text. */
export type Sql = { prepare(text: string): Statement };

/** Prepares each text once. */
export function cachedStatements(sqlite: Sqlite.Database): Sql {
  const statements = new Map<string, Statement>();
  return {
    prepare(text) {
      const known = statements.get(text);
      if (known) return known;
      // This SQLite is built to plan a statement anew when a parameter in a condition changes (ENABLE_STAT4), which costs
      // ten times the query itself. A unary plus keeps values out of the planning; indexes are used all the same.
      const statement = sqlite.prepare<unknown[]>(text.replaceAll('?', '+?'));
      statements.set(text, statement);
      return statement;
    },
  };
}
