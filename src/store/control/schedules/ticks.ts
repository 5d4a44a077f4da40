/** What became of each tick of a schedule. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import type { ScheduleKey } from './schedules.ts';

const TickShape = Type.Object({
  tick: Type.String(),
  due_at_ms: Type.Integer(),
  handled_at_ms: Type.Integer(),
  outcome: Type.Union(
    (['requested', 'requested_late', 'skipped', 'missed', 'failed'] as const).map((outcome) => Type.Literal(outcome)),
  ),
  note: Type.Union([Type.String(), Type.Null()]),
  run_ids: Type.String(),
});
/** `run_ids` is a JSON array of the numbers of runs. */
export type ScheduleTickRow = Static<typeof TickShape>;

const reader = createRowReader(TickShape);
const select = 'SELECT tick, due_at_ms, handled_at_ms, outcome, note, run_ids FROM schedule_ticks';

export type NewTick = {
  readonly tick: string;
  readonly dueAtMs: number;
  readonly handledAtMs: number;
  readonly outcome: ScheduleTickRow['outcome'];
  readonly note: string | null;
};

/** Takes the tick for this transaction; false when it is taken. */
export function insertTick(sql: Sql, { instance, id }: ScheduleKey, tick: NewTick): boolean {
  const statement = `INSERT INTO schedule_ticks
      (instance_id, schedule_id, tick, due_at_ms, handled_at_ms, outcome, note, run_ids)
    VALUES (?, ?, ?, ?, ?, ?, ?, '[]') ON CONFLICT (instance_id, schedule_id, tick) DO NOTHING`;
  const { outcome, note } = tick;
  return sql.run(statement, instance, id, tick.tick, tick.dueAtMs, tick.handledAtMs, outcome, note) === 1;
}

export function saveTickRuns(sql: Sql, { instance, id }: ScheduleKey, tick: string, runIds: readonly number[]): void {
  const statement = 'UPDATE schedule_ticks SET run_ids = ? WHERE instance_id = ? AND schedule_id = ? AND tick = ?';
  sql.execute(statement, JSON.stringify(runIds), instance, id, tick);
}

/** The newest first. */
export function listTicks(sql: Sql, { instance, id }: ScheduleKey, limit: number): ScheduleTickRow[] {
  const statement = `${select} WHERE instance_id = ? AND schedule_id = ? ORDER BY handled_at_ms DESC, due_at_ms DESC LIMIT ?`;
  return reader.all(sql, statement, instance, id, limit);
}

const newestReader = createRowReader(Type.Composite([Type.Object({ schedule_id: Type.String() }), TickShape]));

/** The newest tick of each schedule of an instance. */
export function listNewestTicks(sql: Sql, instance: string): (ScheduleTickRow & { schedule_id: string })[] {
  const statement = `SELECT t.schedule_id, t.tick, t.due_at_ms, t.handled_at_ms, t.outcome, t.note, t.run_ids
    FROM schedules s JOIN schedule_ticks t ON t.instance_id = s.instance_id AND t.schedule_id = s.id AND t.tick =
      (SELECT n.tick FROM schedule_ticks n WHERE n.instance_id = s.instance_id AND n.schedule_id = s.id
        ORDER BY n.handled_at_ms DESC, n.due_at_ms DESC LIMIT 1)
    WHERE s.instance_id = ?`;
  return newestReader.all(sql, statement, instance);
}

/** Deletes up to 2,000 old ticks; returns how many. */
export function expireTicks(sql: Sql, beforeMs: number): number {
  const statement = `DELETE FROM schedule_ticks WHERE (instance_id, schedule_id, tick) IN
    (SELECT instance_id, schedule_id, tick FROM schedule_ticks WHERE handled_at_ms < ? ORDER BY handled_at_ms LIMIT 2000)`;
  return sql.run(statement, beforeMs);
}
