/** Migrates a store's schema in numbered steps; copies the file first when it holds data. */
import { rmSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import type { StoreKind } from '../database.ts';
import { createPrivateFile } from '../private-files.ts';
import { isSqliteError } from './errors.ts';
import { listNewStoreStatements } from './newest-schema.ts';

function readNumberPragma(sqlite: Sqlite.Database, name: string): number {
  const value: unknown = sqlite.pragma(name, { simple: true });
  return typeof value === 'number' ? value : 0;
}

function isEmpty(sqlite: Sqlite.Database): boolean {
  return sqlite.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function assertApplicationId(sqlite: Sqlite.Database, file: string, kind: StoreKind): void {
  if (readNumberPragma(sqlite, 'application_id') !== kind.applicationId) throw vpError('STORE_FOREIGN', { file });
}

/** Copies the store to `<file>.before-<target version>`. */
function copyBeforeMigration(sqlite: Sqlite.Database, file: string, version: number): void {
  const copy = `${file}.before-${version}`;
  rmSync(copy, { force: true });
  createPrivateFile(copy);
  sqlite.prepare('VACUUM INTO ?').run(copy);
}

/**
 * Migrates `sqlite` to the newest version of `kind`, in one transaction.
 * Throws STORE_FOREIGN or STORE_NEWER, the file untouched.
 */
export function migrateStore(sqlite: Sqlite.Database, file: string, kind: StoreKind): void {
  const knownVersion = kind.migrations.length;
  const isNew = isEmpty(sqlite);
  if (!isNew) assertApplicationId(sqlite, file, kind);
  const currentVersion = readNumberPragma(sqlite, 'user_version');
  if (currentVersion > knownVersion) throw vpError('STORE_NEWER', { file, found: currentVersion, known: knownVersion });
  if (currentVersion === knownVersion) return;
  if (!isNew) copyBeforeMigration(sqlite, file, knownVersion);
  sqlite.transaction(() => {
    const statements = currentVersion === 0 ? listNewStoreStatements(kind) : kind.migrations.slice(currentVersion);
    for (const statement of statements) sqlite.exec(statement);
    sqlite.pragma(`application_id = ${kind.applicationId}`);
    sqlite.pragma(`user_version = ${knownVersion}`);
  })();
  if (!isNew && readNumberPragma(sqlite, 'auto_vacuum') === 0) enableShrinking(sqlite);
}

/** A store of an earlier version is rewritten once, so that its free pages can be returned to the disk. */
function enableShrinking(sqlite: Sqlite.Database): void {
  try {
    sqlite.pragma('auto_vacuum = INCREMENTAL');
    sqlite.exec('VACUUM');
  } catch (thrown) {
    // Without the space for a second copy the file stays as large as it was, and everything else works.
    if (!isSqliteError(thrown)) throw thrown;
  }
}
