/** Leases: an executor's hold on a run. The unique index runs_one_in_progress guarantees one per instance. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';
import type { Counters } from './counters.ts';

const LeaseShape = Type.Object({
  id: Type.Integer(),
  correlation_id: Type.String(),
  scenario_id: Type.String(),
  revision: Type.Union([Type.Integer(), Type.Null()]),
  text: Type.String(),
  epoch: Type.Integer(),
  fence: Type.Integer(),
  requested_at_ms: Type.Integer(),
  leased_at_ms: Type.Integer(),
  cancel_requested: Type.Integer(),
  prove: Type.Integer(),
});
/** A leased run with the text it runs. */
export type LeaseRow = Static<typeof LeaseShape>;

const leases = rowReader(LeaseShape);
const ids = rowReader(Type.Object({ id: Type.Integer() }));
const numbers = rowReader(Type.Object({ number: Type.Integer() }));

const select = `SELECT r.id, r.correlation_id, r.scenario_id, v.revision, v.text, r.epoch, r.fence, r.requested_at_ms,
  r.leased_at_ms, r.cancel_requested, r.prove FROM runs r JOIN revisions v ON v.id = r.revision_id`;

/** The run in progress of an instance. */
export function currentLease(sql: Sql, instance: string): LeaseRow | undefined {
  return leases.one(sql.prepare(`${select} WHERE r.instance_id = ? AND r.state = 'in_progress'`), instance);
}

/** Every run in progress: id, fence. */
export function allLeases(sql: Sql): { id: number; fence: number }[] {
  const shape = rowReader(Type.Object({ id: Type.Integer(), fence: Type.Integer() }));
  return shape.all(sql.prepare("SELECT id, fence FROM runs WHERE state = 'in_progress'"));
}

/** True when a run waits. */
export function hasQueued(sql: Sql, instance: string): boolean {
  const statement = sql.prepare("SELECT id FROM runs WHERE instance_id = ? AND state = 'queued' ORDER BY id LIMIT 1");
  return ids.one(statement, instance) !== undefined;
}

/** The epoch of an instance; undefined when it is not registered. */
export function epochOf(sql: Sql, instance: string): number | undefined {
  return numbers.one(sql.prepare('SELECT epoch AS number FROM instances WHERE id = ?'), instance)?.number;
}

/** Leases the oldest queued run to `epoch`; undefined when none waits. The caller has seen that none is in progress. */
export function leaseOldest(
  sql: Sql,
  counters: Counters,
  instance: string,
  epoch: number,
  nowMs: number,
): LeaseRow | undefined {
  const oldest = sql.prepare("SELECT id FROM runs WHERE instance_id = ? AND state = 'queued' ORDER BY id LIMIT 1");
  const next = ids.one(oldest, instance);
  if (next === undefined) return undefined;
  sql.prepare('UPDATE instances SET fence = fence + 1 WHERE id = ?').run(instance);
  sql
    .prepare(
      `UPDATE runs SET state = 'in_progress', epoch = ?, leased_at_ms = ?, seq = ?,
         fence = (SELECT fence FROM instances WHERE id = ?) WHERE id = ?`,
    )
    .run(epoch, nowMs, counters.seq(), instance, next.id);
  return leases.one(sql.prepare(`${select} WHERE r.id = ?`), next.id);
}

/** Moves a lease to another epoch of the same executor: its report is on the way. */
export function adoptLease(sql: Sql, id: number, epoch: number): void {
  sql.prepare('UPDATE runs SET epoch = ? WHERE id = ?').run(epoch, id);
}

/** Puts a run that has not started back at its place in the queue; ends it when it was to be cancelled. */
export function returnToQueue(sql: Sql, counters: Counters, id: number, fence: number, nowMs: number): boolean {
  const statement = sql.prepare(
    `UPDATE runs SET state = iif(cancel_requested = 1, 'cancelled', 'queued'),
       finished_at_ms = iif(cancel_requested = 1, ?, NULL), epoch = NULL, fence = NULL, leased_at_ms = NULL, seq = ?
     WHERE id = ? AND fence = ? AND state = 'in_progress'`,
  );
  return statement.run(nowMs, counters.seq(), id, fence).changes === 1;
}

/** What a greeting tells of the executor; starts its next epoch, which is given back. */
export function startEpoch(
  sql: Sql,
  counters: Counters,
  instance: string,
  executor: {
    storeId: string;
    version: string;
    target: string;
    variables: string | null;
    port: number | null;
    nowMs: number;
  },
): number | undefined {
  const statement = sql.prepare(
    `UPDATE instances SET epoch = epoch + 1, executor_store_id = ?, executor_version = ?, target = ?,
       scenario_variables = ?, executor_port = coalesce(?, executor_port), last_seen_at_ms = ?, seq = ? WHERE id = ? RETURNING epoch AS number`,
  );
  const { storeId, version, target, variables, port, nowMs } = executor;
  return numbers.one(statement, storeId, version, target, variables, port, nowMs, counters.seq(), instance)?.number;
}
