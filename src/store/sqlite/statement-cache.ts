import type Sqlite from 'better-sqlite3';
import type { Sql } from '../sql.ts';

/** Statements of one connection; each text is prepared once. */
export function createStatementCache(sqlite: Sqlite.Database): Sql {
  const statements = new Map<string, Sqlite.Statement<unknown[]>>();

  function prepare(text: string): Sqlite.Statement<unknown[]> {
    const cached = statements.get(text);
    if (cached) return cached;
    // This SQLite is built to plan a statement anew when a parameter in a condition changes (ENABLE_STAT4), which costs ten
    // times the query itself. A unary plus keeps values out of the planning; indexes are used all the same.
    const statement = sqlite.prepare<unknown[]>(text.replaceAll('?', '+?'));
    statements.set(text, statement);
    return statement;
  }

  return {
    dialect: 'sqlite',
    get: (text, ...values) => prepare(text).get(...values),
    all: (text, ...values) => prepare(text).all(...values),
    run: (text, ...values) => prepare(text).run(...values).changes,
    insert: (text, ...values) => Number(prepare(text).run(...values).lastInsertRowid),
    execute: (text, ...values) => void prepare(text).run(...values),
    ahead: () => undefined,
  };
}
