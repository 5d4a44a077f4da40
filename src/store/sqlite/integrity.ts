/** Whether a SQLite file is whole, and a copy one that this version can use. */
import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import type { CopyProblem, StoreKind } from '../database.ts';
import { isSqliteError, toStoreError } from './errors.ts';
import { nativeAddonOptions } from './native-addon.ts';

/** Throws STORE_*. */
export function openReadOnlyFile(file: string): Sqlite.Database {
  try {
    return new Sqlite(file, { ...nativeAddonOptions(), readonly: true });
  } catch (thrown) {
    throw toStoreError(thrown, file);
  }
}

/** The version of the store `file`, without a migration. Throws STORE_FOREIGN and other STORE_*. */
export function readSqliteVersion(file: string, { applicationId }: StoreKind): number {
  const sqlite = openReadOnlyFile(file);
  try {
    if (sqlite.pragma('application_id', { simple: true }) !== applicationId) throw vpError('STORE_FOREIGN', { file });
    return Number(sqlite.pragma('user_version', { simple: true }));
  } catch (thrown) {
    throw toStoreError(thrown, file);
  } finally {
    sqlite.close();
  }
}

/** The first finding of `pragma`, which says `ok` for a file that is whole. */
function runCheck(sqlite: Sqlite.Database, pragma: string): string | undefined {
  try {
    const [finding] = sqlite.prepare(`PRAGMA ${pragma}`).pluck().all();
    // SQLite puts the findings of one table into one text, below a title in asterisks.
    return finding === 'ok'
      ? undefined
      : String(finding)
          .replace(/^\*\*\*[^\n]*\*\*\*\n/, '')
          .split('\n')[0];
  } catch (thrown) {
    if (isSqliteError(thrown) && thrown.code.startsWith('SQLITE_CORRUPT')) return thrown.message;
    throw thrown;
  }
}

/**
 * The structure of all pages, about 1 GB a second. It does not compare indexes with their tables.
 * Returns what is damaged first; undefined when nothing is.
 */
export function findStructuralDamage(sqlite: Sqlite.Database): string | undefined {
  return runCheck(sqlite, 'quick_check(1)');
}

/**
 * Structure, constraints, and every index against its table: about 100 MB a second, so it lets other work of the process run
 * between tables. Returns what is damaged first; undefined when nothing is.
 */
export async function findDamage(
  sqlite: Sqlite.Database,
  onProgress: (share: number) => void,
): Promise<string | undefined> {
  const damage = findStructuralDamage(sqlite);
  if (damage !== undefined) return damage;
  const tables = sqlite.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  for (const [index, table] of tables.entries()) {
    onProgress(index / tables.length);
    await new Promise((resolve) => setImmediate(resolve));
    const problem = runCheck(sqlite, `integrity_check('${table.replaceAll("'", "''")}')`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Why `file` is not a complete copy of a store of `kind` that this version can read; undefined when it is one. */
export async function findSqliteCopyProblem(
  file: string,
  kind: StoreKind,
  onProgress: (share: number) => void,
): Promise<CopyProblem | undefined> {
  if (!existsSync(file)) return { kind: 'unusable', problem: 'the file does not exist' };
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = openReadOnlyFile(file);
    const unusable = findKindProblem(sqlite, kind);
    if (unusable !== undefined) return { kind: 'unusable', problem: unusable };
    const damage = await findDamage(sqlite, onProgress);
    return damage === undefined ? undefined : { kind: 'damaged', problem: damage };
  } catch (thrown) {
    if (isSqliteError(thrown) && thrown.code.startsWith('SQLITE_CORRUPT'))
      return { kind: 'damaged', problem: thrown.message };
    return { kind: 'unusable', problem: 'it cannot be read as a database' };
  } finally {
    sqlite?.close();
  }
}

function findKindProblem(sqlite: Sqlite.Database, kind: StoreKind): string | undefined {
  if (sqlite.pragma('application_id', { simple: true }) !== kind.applicationId) return 'it is not a store of vp';
  const version = Number(sqlite.pragma('user_version', { simple: true }));
  return version > kind.migrations.length ? `it was created by a newer version (schema ${version})` : undefined;
}
