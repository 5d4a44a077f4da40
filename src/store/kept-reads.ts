/** What was read stays true until somebody commits: this process, which says so, or another one, which SQLite is asked. */

import { Type } from '@sinclair/typebox';
import type { Clock } from '../environment/clock.ts';
import type { Database } from './database.ts';
import { rowReader } from './rows.ts';
import type { Sql } from './sql.ts';

/** Reads, or gives again what was read for `key`; what is undefined is read each time. */
export type KeptReads<T> = (key: string, operation: (sql: Sql) => T | undefined) => Promise<T | undefined>;

const versions = rowReader(Type.Object({ data_version: Type.Integer() }));

/** A process beside this one makes links for people at most: its commits are noticed within so long. */
const askEveryMs = 50;

/** Keeps at most `most` answers; beyond, all are read anew. */
export function keptReads<T>(
  { read, onCommit }: Pick<Database, 'read' | 'onCommit'>,
  clock: Pick<Clock, 'monotonicMs'>,
  most: number,
): KeptReads<T> {
  const kept = new Map<string, T>();
  let version: number | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;
  const clearIfOther = (sql: Sql): void => {
    if (clock.monotonicMs() - askedMs < askEveryMs) return;
    askedMs = clock.monotonicMs();
    const found = versions.one(sql.prepare('PRAGMA data_version'))?.data_version;
    if (found !== version) kept.clear();
    version = found;
  };
  onCommit(() => kept.clear());
  return (key, operation) =>
    read((sql) => {
      clearIfOther(sql);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const value = operation(sql);
      if (kept.size >= most) kept.clear();
      if (value !== undefined) kept.set(key, value);
      return value;
    });
}
