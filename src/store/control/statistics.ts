/** What charts are made of: the newest runs of an instance in short. */
import { Type } from '@sinclair/typebox';
import { type RunState, runStates } from '../../run/state.ts';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const reader = rowReader(
  Type.Object({
    id: Type.Integer(),
    state: Type.Union(runStates.map((state) => Type.Literal(state))),
    failure_kind: Type.Union([Type.String(), Type.Null()]),
    duration_ms: Type.Union([Type.Number(), Type.Null()]),
  }),
);

/** A run as charts see it; `id` is the moment of its request. */
export type RunInShort = {
  readonly id: number;
  readonly state: RunState;
  readonly failure_kind: string | null;
  readonly duration_ms: number | null;
};

/**
 * Runs of an instance requested at or after `sinceMs`, newest first, at most `limit`: so that a store of a million runs
 * costs what a small one does. Rejected: counting in SQL, which is no faster for what the limit leaves, and knows no p95.
 */
export function runsInShort(sql: Sql, instance: string, sinceMs: number, limit: number): RunInShort[] {
  const statement = sql.prepare(
    'SELECT id, state, failure_kind, duration_ms FROM runs WHERE instance_id = ? AND id >= ? ORDER BY id DESC LIMIT ?',
  );
  return reader.all(statement, instance, sinceMs, limit);
}
