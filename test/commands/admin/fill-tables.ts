/** Gives each table of a data folder's stores a row, by what the schema says of its columns. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { createStoreTables } from '../../../src/store/engine.ts';
import { backedUpStores } from '../../../src/store/store-files.ts';

type Column = { readonly name: string; readonly type: string; readonly pk: number };
type Reference = { readonly table: string; readonly from: string; readonly to: string | null };

/** What constraints over several columns want. */
const chosenValues: Readonly<Record<string, Readonly<Record<string, string | number | null>>>> = {
  hub_connections: { command: null },
};

/** Of a CHECK that lists values, the first one. */
function findListedValue(schema: string, column: string): string | number | undefined {
  const [, text, number] = new RegExp(`\\b${column}\\b IN \\((?:'([^']*)'|(\\d+))`).exec(schema) ?? [];
  return text ?? (number === undefined ? undefined : Number(number));
}

function inventValue({ name, type }: Column, table: string): string | number | Uint8Array {
  if (/INT/i.test(type)) return 1;
  if (/REAL/i.test(type)) return 1.5;
  if (/BLOB/i.test(type)) return Buffer.from([0, 255, 1]);
  return `${table}.${name} "é"`;
}

/** The names of tables that had no row before, as `store.table`. */
export function fillEmptyTables(folder: string): string[] {
  const filled: string[] = [];
  for (const { name: store, kind } of backedUpStores) {
    const empty = createStoreTables(':memory:', kind);
    const sqlite = new Sqlite(join(folder, `${store}.db`));
    // A table comes after those that it refers to. What triggers count is not the subject.
    for (const { name } of empty.tables)
      if (sqlite.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() === undefined) {
        insertRow(sqlite, name);
        filled.push(`${store}.${name}`);
      }
    sqlite.close();
    empty.close();
  }
  return filled;
}

function insertRow(sqlite: Sqlite.Database, table: string): void {
  const schema =
    sqlite.prepare<[string], string>('SELECT sql FROM sqlite_master WHERE name = ?').pluck().get(table) ?? '';
  const columns = sqlite.prepare<[], Column>(`SELECT name, type, pk FROM pragma_table_info('${table}')`).all();
  const references = sqlite
    .prepare<[], Reference>(`SELECT "table", "from", "to" FROM pragma_foreign_key_list('${table}')`)
    .all();
  const values = columns.map((column) => {
    const chosen = chosenValues[table]?.[column.name];
    if (chosen !== undefined) return chosen;
    const reference = references.find(({ from }) => from === column.name);
    if (reference) {
      const target = reference.to ?? column.name;
      return sqlite.prepare(`SELECT "${target}" FROM "${reference.table}" LIMIT 1`).pluck().get();
    }
    return findListedValue(schema, column.name) ?? inventValue(column, table);
  });
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  try {
    sqlite.prepare(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`).run(...values);
  } catch (error) {
    throw new Error(`${table}: ${String(error)}\n${schema}`);
  }
}
