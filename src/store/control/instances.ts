/** Registered instances: rows, keys, what their executor last said. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';
import type { Counters } from './counters.ts';

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
  seq: Type.Integer(),
});
/** A row of `instances` with its queue; `running` is the run's moment, `scenario_variables` a JSON array of names. */
export type InstanceRow = Static<typeof InstanceShape>;

const reader = rowReader(InstanceShape);
const idReader = rowReader(Type.Object({ id: Type.String() }));

const select = `SELECT id, tier, executor_port, created_at_ms, epoch, executor_store_id, executor_version, target,
  scenario_variables,
  last_seen_at_ms, seq, owner_id,
  (SELECT p.name FROM people p WHERE p.id = i.owner_id) AS owner_name,
  (SELECT r.id FROM runs r WHERE r.instance_id = i.id AND r.state = 'in_progress') AS running,
  (SELECT count(*) FROM runs r WHERE r.instance_id = i.id AND r.state = 'queued') AS queued
  FROM instances i`;

/** All instances, by id. */
export function listInstances(sql: Sql): InstanceRow[] {
  return reader.all(sql.prepare(`${select} ORDER BY id`));
}

/** One instance; undefined when it is not registered. */
export function findInstance(sql: Sql, id: string): InstanceRow | undefined {
  return reader.one(sql.prepare(`${select} WHERE id = ?`), id);
}

/** Instances that changed after `seq`, oldest change first. */
export function instancesSince(sql: Sql, seq: number): InstanceRow[] {
  return reader.all(sql.prepare(`${select} WHERE seq > ? ORDER BY seq`), seq);
}

/** The instance that an executor key belongs to. */
export function instanceOfKey(sql: Sql, keyHash: string): string | undefined {
  return idReader.one(sql.prepare('SELECT id FROM instances WHERE key_hash = ?'), keyHash)?.id;
}

/** What a registration says. */
export type NewInstance = {
  readonly id: string;
  readonly tier: string;
  readonly executorPort: number | undefined;
  readonly keyHash: string;
  readonly createdBy: string;
  /** The person whom it belongs to. */
  readonly ownerId: string | undefined;
  readonly nowMs: number;
};

/** Registers; false when the id is taken. */
export function insertInstance(sql: Sql, counters: Counters, instance: NewInstance): boolean {
  const done = sql
    .prepare(
      `INSERT INTO instances (id, tier, executor_port, created_at_ms, created_by, owner_id, key_hash, seq)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    )
    .run(
      instance.id,
      instance.tier,
      instance.executorPort ?? null,
      instance.nowMs,
      instance.createdBy,
      instance.ownerId ?? null,
      instance.keyHash,
      counters.seq(),
    );
  return done.changes === 1;
}

/** Replaces the executor key; false when the instance is not registered. */
export function replaceInstanceKey(sql: Sql, counters: Counters, id: string, keyHash: string): boolean {
  const statement = sql.prepare('UPDATE instances SET key_hash = ?, seq = ? WHERE id = ?');
  return statement.run(keyHash, counters.seq(), id).changes === 1;
}

/** Notes when the executor was last seen, and wakes streams. */
export function touchInstance(sql: Sql, counters: Counters, id: string, seenAtMs: number): void {
  const statement = sql.prepare('UPDATE instances SET last_seen_at_ms = ?, seq = ? WHERE id = ?');
  statement.run(seenAtMs, counters.seq(), id);
}
