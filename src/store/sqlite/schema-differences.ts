/**
 * How the schema of a SQLite file differs from the one that its migrations create. A trigger, a view in place of a table or an index
 * with another expression can change, hide or copy rows while every page of the file is whole.
 */
import Sqlite from 'better-sqlite3';
import type { SchemaDifference, StoreKind } from '../database.ts';
import { controlPositionTable } from './audit-database.ts';
import { toStoreError } from './errors.ts';
import { openReadOnlyFile } from './integrity.ts';
import { nativeAddonOptions } from './native-addon.ts';
import { positionTable } from './store-position.ts';

type SchemaEntry = {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
  readonly rootpage: number | null;
};

/** SQLite acts on the text alone, so that an entry may say that it is something else; `temp` views of the same names do not count. */
const listText = 'SELECT type, name, tbl_name, sql, rootpage FROM main.sqlite_schema ORDER BY rowid';
const maxDifferences = 20;

/** At most the first 20. Throws STORE_*. */
export function listSqliteSchemaDifferences(file: string, kind: StoreKind): SchemaDifference[] {
  const sqlite = openReadOnlyFile(file);
  try {
    const version = Number(sqlite.pragma('user_version', { simple: true }));
    const entries = sqlite.prepare<[], SchemaEntry>(listText).all();
    return compareEntries(entries, listExpected(kind, version)).slice(0, maxDifferences);
  } catch (thrown) {
    throw toStoreError(thrown, file);
  } finally {
    sqlite.close();
  }
}

type ExpectedEntries = {
  readonly entries: ReadonlyMap<string, SchemaEntry>;
  /** Names that a file may lack: each version creates them when it opens the file. */
  readonly optional: ReadonlySet<string>;
};

function listExpected({ migrations }: StoreKind, version: number): ExpectedEntries {
  const sqlite = new Sqlite(':memory:', nativeAddonOptions());
  try {
    const list = () =>
      new Map(
        sqlite
          .prepare<[], SchemaEntry>(listText)
          .all()
          .map((entry) => [entry.name, entry]),
      );
    for (const step of migrations.slice(0, version)) sqlite.exec(step);
    const required = list();
    for (const table of [positionTable, controlPositionTable]) sqlite.exec(table);
    const entries = list();
    return { entries, optional: new Set([...entries.keys()].filter((name) => !required.has(name))) };
  } finally {
    sqlite.close();
  }
}

function compareEntries(entries: readonly SchemaEntry[], expected: ExpectedEntries): SchemaDifference[] {
  const known = new Set<string>();
  const pages = new Set<number>();
  const differences: SchemaDifference[] = [];
  for (const entry of entries) {
    const { type, name, tbl_name: table, rootpage } = entry;
    const original = expected.entries.get(name);
    const isShared = rootpage !== null && rootpage > 0 && pages.has(rootpage);
    if (!original || known.has(name)) differences.push({ kind: 'foreign', type, name, table });
    else if (!isEqualEntry(entry, original) || isShared) differences.push({ kind: 'changed', type, name, table });
    known.add(name);
    pages.add(rootpage ?? 0);
  }
  for (const { type, name, tbl_name: table } of expected.entries.values())
    if (!known.has(name) && !expected.optional.has(name)) differences.push({ kind: 'missing', type, name, table });
  return differences;
}

function isEqualEntry(entry: SchemaEntry, original: SchemaEntry): boolean {
  return entry.type === original.type && entry.tbl_name === original.tbl_name && entry.sql === original.sql;
}
