/** Brings a store's schema forward, one numbered step after another; copies the file first when it holds data. */
import { rmSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { vpError } from '../errors/vp-error.ts';
import { preparePrivateFile } from './private-file.ts';

/** SQL of one step; step n brings a store from version n-1 to n (counting from 1). Steps never change once released. */
export type Migration = string;

/** Marks our files in SQLite's header (`PRAGMA application_id`): "vp", then which store. */
export type StoreKind = { readonly applicationId: number; readonly migrations: readonly Migration[] };

/** Number in a pragma's answer. */
function numberPragma(sqlite: Sqlite.Database, name: string): number {
  const value: unknown = sqlite.pragma(name, { simple: true });
  return typeof value === 'number' ? value : 0;
}

function isEmpty(sqlite: Sqlite.Database): boolean {
  return sqlite.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function refuseForeign(sqlite: Sqlite.Database, file: string, kind: StoreKind): void {
  if (numberPragma(sqlite, 'application_id') !== kind.applicationId) throw vpError('STORE_FOREIGN', { file });
}

/** The copy made before a migration stands beside the store, as `<file>.before-<the version it goes to>`. */
function copyFirst(sqlite: Sqlite.Database, file: string, version: number): void {
  const copy = `${file}.before-${version}`;
  rmSync(copy, { force: true });
  preparePrivateFile(copy);
  sqlite.prepare('VACUUM INTO ?').run(copy);
}

/**
 * Migrates `sqlite` to the newest version of `kind`; all steps in one transaction.
 * Throws STORE_FOREIGN or STORE_NEWER, the file untouched.
 */
export function migrate(sqlite: Sqlite.Database, file: string, kind: StoreKind): void {
  const known = kind.migrations.length;
  const fresh = isEmpty(sqlite);
  if (!fresh) refuseForeign(sqlite, file, kind);
  const found = numberPragma(sqlite, 'user_version');
  if (found > known) throw vpError('STORE_NEWER', { file, found, known });
  if (found === known) return;
  if (!fresh) copyFirst(sqlite, file, known);
  sqlite.transaction(() => {
    for (const step of kind.migrations.slice(found)) sqlite.exec(step);
    sqlite.pragma(`application_id = ${kind.applicationId}`);
    sqlite.pragma(`user_version = ${known}`);
  })();
}
