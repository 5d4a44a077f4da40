/** Schedules and what became of their ticks. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import { createRowInserter, formatColumns } from '../../row-writer.ts';
import type { Sql } from '../../sql.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const nullableText = Type.Union([Type.String(), Type.Null()]);

const ScheduleShape = Type.Object({
  instance_id: Type.String(),
  id: Type.String(),
  definition: Type.String(),
  source: Type.Union([Type.Literal('person'), Type.Literal('file')]),
  paused_at_ms: nullableInteger,
  paused_by: nullableText,
  tick_at_ms: nullableInteger,
  due_at_ms: nullableInteger,
  sealed_secret: Type.Union([Type.Uint8Array(), Type.Null()]),
  observed_version: nullableText,
  created_at_ms: Type.Integer(),
  created_by: Type.String(),
  updated_at_ms: Type.Integer(),
  updated_by: Type.String(),
});
/** `definition` is JSON. */
export type ScheduleRow = Static<typeof ScheduleShape>;

const reader = createRowReader(ScheduleShape);
const select = `SELECT ${formatColumns(ScheduleShape)} FROM schedules`;

export function findSchedule(sql: Sql, instance: string, id: string): ScheduleRow | undefined {
  return reader.first(sql, `${select} WHERE instance_id = ? AND id = ?`, instance, id);
}

export function listSchedules(sql: Sql, instance: string): ScheduleRow[] {
  return reader.all(sql, `${select} WHERE instance_id = ? ORDER BY id`, instance);
}

/** Those of all instances that are not paused. */
export function listActiveSchedules(sql: Sql): ScheduleRow[] {
  return reader.all(sql, `${select} WHERE paused_at_ms IS NULL ORDER BY due_at_ms, instance_id, id`);
}

export const insertSchedule = createRowInserter('schedules', ScheduleShape);

/** Everything but the state of pausing and of the secret. */
export function updateSchedule(sql: Sql, row: ScheduleRow): void {
  sql.execute(
    `UPDATE schedules SET definition = ?, source = ?, tick_at_ms = ?, due_at_ms = ?, observed_version = ?,
       updated_at_ms = ?, updated_by = ? WHERE instance_id = ? AND id = ?`,
    ...[row.definition, row.source, row.tick_at_ms, row.due_at_ms, row.observed_version, row.updated_at_ms],
    ...[row.updated_by, row.instance_id, row.id],
  );
}

export type ScheduleKey = { readonly instance: string; readonly id: string };
/** The next tick: its nominal time and with jitter. */
export type TickTime = { readonly tickAtMs: number | null; readonly dueAtMs: number | null };

export function saveNextTick(sql: Sql, { instance, id }: ScheduleKey, { tickAtMs, dueAtMs }: TickTime): void {
  const statement = 'UPDATE schedules SET tick_at_ms = ?, due_at_ms = ? WHERE instance_id = ? AND id = ?';
  sql.execute(statement, tickAtMs, dueAtMs, instance, id);
}

export function saveObservedVersion(sql: Sql, { instance, id }: ScheduleKey, version: string): void {
  sql.execute('UPDATE schedules SET observed_version = ? WHERE instance_id = ? AND id = ?', version, instance, id);
}

export function saveSchedulePause(
  sql: Sql,
  { instance, id }: ScheduleKey,
  paused: { readonly atMs: number; readonly by: string },
): void {
  sql.execute(
    `UPDATE schedules SET paused_at_ms = ?, paused_by = ?, tick_at_ms = NULL, due_at_ms = NULL
       WHERE instance_id = ? AND id = ?`,
    ...[paused.atMs, paused.by, instance, id],
  );
}

/** From now on: with the next tick, and compared with `observedVersion`. */
export function saveResumed(
  sql: Sql,
  { instance, id }: ScheduleKey,
  { tickAtMs, dueAtMs }: TickTime,
  observedVersion: string | null,
): void {
  sql.execute(
    `UPDATE schedules SET paused_at_ms = NULL, paused_by = NULL, tick_at_ms = ?, due_at_ms = ?, observed_version = ?
       WHERE instance_id = ? AND id = ?`,
    ...[tickAtMs, dueAtMs, observedVersion, instance, id],
  );
}

/** Its ticks go with it; its runs stay. */
export function deleteSchedule(sql: Sql, { instance, id }: ScheduleKey): void {
  sql.execute('DELETE FROM schedule_ticks WHERE instance_id = ? AND schedule_id = ?', instance, id);
  sql.execute('DELETE FROM schedules WHERE instance_id = ? AND id = ?', instance, id);
}

const versionReader = createRowReader(Type.Object({ id: Type.Integer(), target_version: Type.String() }));

/** The newest ended run of an instance that names a version of the target; by the index runs_with_version. */
export function findNewestTargetVersion(
  sql: Sql,
  instance: string,
): { id: number; target_version: string } | undefined {
  const statement = `SELECT id, target_version FROM runs WHERE instance_id = ? AND target_version IS NOT NULL
    AND state IN ('passed', 'failed') ORDER BY id DESC LIMIT 1`;
  return versionReader.first(sql, statement, instance);
}

const countReader = createRowReader(Type.Object({ count: Type.Integer() }));

/** Runs of a schedule that wait or run. The words are those of the index runs_open_by_schedule. */
export function countOpenRuns(sql: Sql, { instance, id }: ScheduleKey): number {
  const statement = `SELECT count(*) AS count FROM runs WHERE instance_id = ? AND schedule_id = ?
    AND schedule_id IS NOT NULL AND state IN ('queued', 'in_progress')`;
  return countReader.first(sql, statement, instance, id)?.count ?? 0;
}
