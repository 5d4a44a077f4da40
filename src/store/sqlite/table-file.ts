/** The tables of a SQLite store, read for a copy in another engine or written from one. */
import Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import { syncFile } from '../../files/atomic-write.ts';
import {
  type CopiedRow,
  type CopiedTable,
  estimateBytes,
  maxBatchBytes,
  maxBatchRows,
  type NewStoreTables,
  type StoreTables,
  type TableReader,
} from '../copy/copied-table.ts';
import type { StoreKind } from '../database.ts';
import { createPrivateFile } from '../private-files.ts';
import { toStoreError } from './errors.ts';
import { openReadOnlyFile } from './integrity.ts';
import { nativeAddonOptions } from './native-addon.ts';
import { removeSqliteFile } from './replace-file.ts';
import { createStatementCache } from './statement-cache.ts';

/** Tables that people's data is in: not the index of words, which follows from others, and not what belongs to the file itself. */
const listText = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
  AND name NOT LIKE 'sqlite_%' AND name NOT IN ('store_position', 'control_position') ORDER BY name`;

const quote = (name: string): string => `"${name}"`;

function listTables(sqlite: Sqlite.Database): CopiedTable[] {
  const rest = new Set(sqlite.prepare<[], string>(listText).pluck().all());
  const ordered: string[] = [];
  while (rest.size > 0) {
    const next = [...rest].find((name) =>
      listReferences(sqlite, name).every((other) => other === name || !rest.has(other)),
    );
    if (next === undefined) throw new Error('tables refer to each other in a circle');
    rest.delete(next);
    ordered.push(next);
  }
  return ordered.map((name) => describeTable(sqlite, name));
}

function listReferences(sqlite: Sqlite.Database, name: string): string[] {
  return sqlite.prepare<[string], string>('SELECT "table" FROM pragma_foreign_key_list(?)').pluck().all(name);
}

function describeTable(sqlite: Sqlite.Database, name: string): CopiedTable {
  type Column = { readonly name: string; readonly pk: number };
  const columns = sqlite.prepare<[string], Column>('SELECT name, pk FROM pragma_table_info(?) ORDER BY cid').all(name);
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
}

function createReader(sqlite: Sqlite.Database): TableReader {
  return {
    async countRows({ name }) {
      return (
        sqlite
          .prepare<[], number>(`SELECT count(*) FROM ${quote(name)}`)
          .pluck()
          .get() ?? 0
      );
    },
    async *readRows({ name, columns, key }) {
      const order = key.length === 0 ? '' : ` ORDER BY ${key.map(quote).join(', ')}`;
      const text = `SELECT ${columns.map(quote).join(', ')} FROM ${quote(name)}${order}`;
      let batch: CopiedRow[] = [];
      let bytes = 0;
      for (const row of sqlite.prepare<[], CopiedRow>(text).raw().iterate()) {
        batch.push(row);
        bytes += estimateBytes(row);
        if (batch.length < maxBatchRows && bytes < maxBatchBytes) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
      if (batch.length > 0) yield batch;
    },
  };
}

/**
 * Opens an existing store for reading at one moment. Throws STORE_ABSENT, STORE_FOREIGN, STORE_NEWER, STORE_OUTDATED and other STORE_*.
 */
export function openSqliteTables(file: string, { applicationId, migrations }: StoreKind): StoreTables {
  const sqlite = openReadOnlyFile(file);
  try {
    const readPragma = (name: string): number => Number(sqlite.pragma(name, { simple: true }));
    if (readPragma('application_id') !== applicationId) throw vpError('STORE_FOREIGN', { file });
    const [found, known] = [readPragma('user_version'), migrations.length];
    if (found > known) throw vpError('STORE_NEWER', { file, found, known });
    if (found < known) throw vpError('STORE_OUTDATED', { file, found, known });
    sqlite.exec('BEGIN');
    return { file, tables: listTables(sqlite), ...createReader(sqlite), close: () => sqlite.close() };
  } catch (thrown) {
    sqlite.close();
    throw toStoreError(thrown, file);
  }
}

/** Creates the store `file`, empty, to be filled table by table in one transaction. Throws STORE_UNWRITABLE. */
export function createSqliteTables(file: string, { applicationId, migrations }: StoreKind): NewStoreTables {
  if (file !== ':memory:') {
    removeSqliteFile(file);
    createPrivateFile(file);
  }
  const sqlite = new Sqlite(file, nativeAddonOptions());
  for (const pragma of ['auto_vacuum = INCREMENTAL', 'journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = ON'])
    sqlite.pragma(pragma);
  sqlite.exec('BEGIN');
  for (const migration of migrations) sqlite.exec(migration);
  const restoreTriggers = removeTriggers(sqlite);
  const tables = listTables(sqlite);
  const inserts = new Map(tables.map((table) => [table.name, prepareInsert(sqlite, table)]));
  return {
    file,
    tables,
    sql: createStatementCache(sqlite),
    ...createReader(sqlite),
    async clear({ name }) {
      sqlite.exec(`DELETE FROM ${quote(name)}`);
    },
    async writeRows({ name }, rows) {
      const insert = inserts.get(name);
      for (const row of rows) insert?.run(...row);
    },
    finish() {
      restoreTriggers();
      sqlite.pragma(`application_id = ${applicationId}`);
      sqlite.pragma(`user_version = ${migrations.length}`);
      sqlite.exec('COMMIT');
      const [problem] = sqlite.prepare<[], string>('PRAGMA quick_check(1)').pluck().all();
      if (problem !== 'ok') throw vpError('STORE_DAMAGED', { file, problem: String(problem) });
      const bytes =
        Number(sqlite.pragma('page_count', { simple: true })) * Number(sqlite.pragma('page_size', { simple: true }));
      sqlite.close();
      syncFile(file);
      return bytes;
    },
    close: () => sqlite.close(),
    discard() {
      sqlite.close();
      removeSqliteFile(file);
    },
  };
}

function prepareInsert(sqlite: Sqlite.Database, { name, columns }: CopiedTable): Sqlite.Statement<unknown[]> {
  const marks = columns.map(() => '?').join(', ');
  return sqlite.prepare(`INSERT INTO ${quote(name)} (${columns.map(quote).join(', ')}) VALUES (${marks})`);
}

/** What triggers derive is copied too, except for indexes of words, which are built when the triggers come back. */
function removeTriggers(sqlite: Sqlite.Database): () => void {
  type Entry = { readonly name: string; readonly sql: string };
  const triggers = sqlite.prepare<[], Entry>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) sqlite.exec(`DROP TRIGGER ${quote(name)}`);
  const wordIndexes = sqlite.prepare<[], string>(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'",
  );
  return () => {
    for (const { sql } of triggers) sqlite.exec(sql);
    for (const name of wordIndexes.pluck().all())
      sqlite.exec(`INSERT INTO ${quote(name)} (${quote(name)}) VALUES ('rebuild')`);
  };
}
