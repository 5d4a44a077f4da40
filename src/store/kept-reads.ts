/** What was read stays true until somebody commits: this process, which says so, or another one, which SQLite tells. */

import { Type } from '@sinclair/typebox';
import type { Database } from './database.ts';
import { rowReader } from './rows.ts';
import type { Sql } from './sql.ts';

/** Reads, or gives again what was read for `key`; what is undefined is read each time. */
export type KeptReads<T> = (key: string, operation: (sql: Sql) => T | undefined) => Promise<T | undefined>;

const versions = rowReader(Type.Object({ data_version: Type.Integer() }));

/** Keeps at most `most` answers; beyond, all are read anew. */
export function keptReads<T>({ read, onCommit }: Pick<Database, 'read' | 'onCommit'>, most: number): KeptReads<T> {
  const kept = new Map<string, T>();
  let version: number | undefined;
  onCommit(() => kept.clear());
  return (key, operation) =>
    read((sql) => {
      const found = versions.one(sql.prepare('PRAGMA data_version'))?.data_version;
      if (found !== version || kept.size >= most) kept.clear();
      version = found;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const value = operation(sql);
      if (value !== undefined) kept.set(key, value);
      return value;
    });
}
