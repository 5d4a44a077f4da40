/** Generates `newest-schema.generated.ts` from the steps of the control store. Only the build calls this. */
import Sqlite from 'better-sqlite3';
import { controlStoreKind } from '../control/schema/control-schema.ts';
import type { Migration, NewestSchema } from '../database.ts';
import { nativeAddonOptions } from './native-addon.ts';
import { hashSteps } from './newest-schema.ts';

const header = [
  '/** Generated from the steps of control-schema.ts by generate-newest-schema.ts; `node build.mjs` regenerates it. */',
  '// biome-ignore-all lint: generated',
  '// biome-ignore-all format: generated',
].join('\n');

export function generateNewestSchema(): string {
  const { stepsSha256, statements } = createNewestSchema(controlStoreKind.migrations);
  const lines = statements.map((statement) => `    ${JSON.stringify(statement)},\n`).join('');
  const value = `{\n  stepsSha256: '${stepsSha256}',\n  statements: [\n${lines}  ],\n}`;
  return `${header}\n\nexport const newestControlSchema = ${value};\n`;
}

type SchemaEntry = { readonly type: string; readonly name: string; readonly sql: string };

/** What the steps come to. */
export function createNewestSchema(migrations: readonly Migration[]): NewestSchema {
  const sqlite = new Sqlite(':memory:', nativeAddonOptions());
  try {
    for (const step of migrations) sqlite.exec(step);
    const entries = sqlite
      .prepare<[], SchemaEntry>('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid')
      .all();
    // The tables of a virtual one would be created twice.
    if (entries.some(({ sql }) => /^CREATE VIRTUAL/i.test(sql))) throw new Error('virtual tables are not supported');
    const [triggers, others] = [true, false].map((isTrigger) =>
      entries.filter(({ type }) => (type === 'trigger') === isTrigger).map(({ sql }) => sql),
    );
    const rows = entries.filter(({ type }) => type === 'table').flatMap(({ name }) => listRows(sqlite, name));
    // Triggers have already acted on the rows.
    return { stepsSha256: hashSteps(migrations), statements: [...(others ?? []), ...rows, ...(triggers ?? [])] };
  } finally {
    sqlite.close();
  }
}

/** The rows that the steps have inserted, as statements. */
function listRows(sqlite: Sqlite.Database, table: string): string[] {
  const columns = sqlite.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  const literals = columns.map((column) => `quote("${column}")`).join(" || ', ' || ");
  const rows = sqlite.prepare<[], string>(`SELECT ${literals} FROM "${table}"`).pluck().all();
  return rows.map((values) => `INSERT INTO "${table}" VALUES (${values})`);
}
