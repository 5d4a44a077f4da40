import type Sqlite from 'better-sqlite3';
import type { Sql } from '../sql.ts';

/** `countChanges`: it has grown when a statement has changed a row. SQLite's own count is a statement of its own in each transaction. */
export type StatementCache = Sql & { countChanges(): number };

type CachedStatement = { readonly statement: Sqlite.Statement<unknown[]>; readonly isReadonly: boolean };

/** Statements of one connection; each text is prepared once. */
export function createStatementCache(sqlite: Sqlite.Database): StatementCache {
  const statements = new Map<string, CachedStatement>();
  let changes = 0;

  function prepare(text: string): CachedStatement {
    const cached = statements.get(text);
    if (cached) return cached;
    // This SQLite is built to plan a statement anew when a parameter in a condition changes (ENABLE_STAT4), which costs ten
    // times the query itself. A unary plus keeps values out of the planning; indexes are used all the same.
    const statement = sqlite.prepare<unknown[]>(text.replaceAll('?', '+?'));
    const entry = { statement, isReadonly: statement.readonly };
    statements.set(text, entry);
    return entry;
  }

  function run(text: string, values: readonly unknown[]): Sqlite.RunResult {
    const result = prepare(text).statement.run(...values);
    changes += result.changes;
    return result;
  }

  return {
    dialect: 'sqlite',
    get(text, ...values) {
      const { statement, isReadonly } = prepare(text);
      const row = statement.get(...values);
      // It returns what it has changed.
      if (!isReadonly && row !== undefined) changes += 1;
      return row;
    },
    all(text, ...values) {
      const { statement, isReadonly } = prepare(text);
      const rows = statement.all(...values);
      if (!isReadonly) changes += rows.length;
      return rows;
    },
    run: (text, ...values) => run(text, values).changes,
    insert: (text, ...values) => Number(run(text, values).lastInsertRowid),
    execute: (text, ...values) => void run(text, values),
    ahead: () => undefined,
    countChanges: () => changes,
  };
}
