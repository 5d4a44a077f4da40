/** Registered instances: rows, keys, and what their executor last reported. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';
import { isInProgress, isQueued } from '../runs/lease-steps.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const nullableText = Type.Union([Type.String(), Type.Null()]);

const InstanceShape = Type.Object({
  id: Type.String(),
  tier: Type.Union([Type.Literal('compose'), Type.Literal('embedded')]),
  executor_port: nullableInteger,
  created_at_ms: Type.Integer(),
  epoch: Type.Integer(),
  executor_store_id: nullableText,
  executor_version: nullableText,
  target: nullableText,
  scenario_variables: nullableText,
  last_seen_at_ms: nullableInteger,
  running: nullableInteger,
  queued: Type.Integer(),
  owner_id: nullableText,
  owner_name: nullableText,
  stale_journal_at_ms: nullableInteger,
  stale_control_at_ms: nullableInteger,
  seq: Type.Integer(),
});
/** A row of `instances` with its queue; `running` is the run's time, `scenario_variables` a JSON array of names. */
export type InstanceRow = Static<typeof InstanceShape>;

const reader = createRowReader(InstanceShape);
const idReader = createRowReader(Type.Object({ id: Type.String() }));

const select = `SELECT id, tier, executor_port, created_at_ms, epoch, executor_store_id, executor_version, target,
  scenario_variables,
  last_seen_at_ms, seq, owner_id, stale_journal_at_ms, stale_control_at_ms,
  (SELECT p.name FROM people p WHERE p.id = i.owner_id) AS owner_name,
  (SELECT r.id FROM runs r WHERE ${isInProgress('r', 'i.id')}) AS running,
  (SELECT count(*) FROM runs r WHERE ${isQueued('r', 'i.id')}) AS queued
  FROM instances i`;

/** By id. */
export function listInstances(sql: Sql): InstanceRow[] {
  return reader.all(sql, `${select} ORDER BY id`);
}

export function findInstance(sql: Sql, id: string): InstanceRow | undefined {
  return reader.first(sql, `${select} WHERE id = ?`, id);
}

/** Without its queue, which `findInstance` counts. */
export function hasInstance(sql: Sql, id: string): boolean {
  return idReader.first(sql, 'SELECT id FROM instances WHERE id = ?', id) !== undefined;
}

/** Oldest change first. */
export function listChangedInstances(sql: Sql, seq: number): InstanceRow[] {
  return reader.all(sql, `${select} WHERE seq > ? ORDER BY seq`, seq);
}

export function findInstanceIdByKey(sql: Sql, keyHash: string): string | undefined {
  return idReader.first(sql, 'SELECT id FROM instances WHERE key_hash = ?', keyHash)?.id;
}

export type NewInstance = {
  readonly id: string;
  readonly tier: string;
  readonly executorPort: number | undefined;
  readonly keyHash: string;
  readonly createdBy: string;
  /** The person who owns the instance. */
  readonly ownerId: string | undefined;
  readonly nowMs: number;
};

/** False when the id is taken. */
export function insertInstance(sql: Sql, counters: Counters, instance: NewInstance): boolean {
  const inserted = sql.run(
    `INSERT INTO instances (id, tier, executor_port, created_at_ms, created_by, owner_id, key_hash, seq)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    instance.id,
    instance.tier,
    instance.executorPort ?? null,
    instance.nowMs,
    instance.createdBy,
    instance.ownerId ?? null,
    instance.keyHash,
    counters.nextSeq(),
  );
  return inserted === 1;
}

/** False when the instance is not registered. */
export function replaceInstanceKey(sql: Sql, counters: Counters, id: string, keyHash: string): boolean {
  const statement = 'UPDATE instances SET key_hash = ?, seq = ? WHERE id = ?';
  return sql.run(statement, keyHash, counters.nextSeq(), id) === 1;
}

/** Records when the executor was last seen, as a change for streams. */
export function touchInstance(sql: Sql, counters: Counters, id: string, lastSeenAtMs: number): void {
  const statement = 'UPDATE instances SET last_seen_at_ms = ?, seq = ? WHERE id = ?';
  sql.execute(statement, lastSeenAtMs, counters.nextSeq(), id);
}
