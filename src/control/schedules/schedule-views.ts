/**
 * Schedules as the API shows them. A list is read in four statements and computed afterwards: on PostgreSQL an operation runs
 * again for each of its statements.
 */

import type { Schedule, ScheduleDefinition, ScheduleDocument, ScheduleTick } from '../../contract/schedules-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../contract/timestamp.ts';
import { VpError } from '../../errors/vp-error.ts';
import { formatRunId } from '../../run/run-id.ts';
import { listUnmatched, type SelectableScenario, selectScenarios } from '../../schedule/selection.ts';
import { listTicksMs } from '../../schedule/timing.ts';
import { listSchedules, type ScheduleRow } from '../../store/control/schedules/schedules.ts';
import { listNewestTicks, listTicks, type ScheduleTickRow } from '../../store/control/schedules/ticks.ts';
import { parseIds } from '../../store/json-column.ts';
import type { Sql } from '../../store/sql.ts';
import { requireInstance } from '../instances/instances.ts';
import { readCatalogue, readDefinition, toKey, toSelectable } from './request-tick.ts';
import { toTiming } from './schedule-timing.ts';

const maxListedTicks = 50;

function toRunIds(json: string): string[] {
  return parseIds(json).map((id) => formatRunId(id));
}

function toScheduleTick(row: ScheduleTickRow): ScheduleTick {
  const { outcome, note } = row;
  const times = { due_at: formatTimestamp(row.due_at_ms), handled_at: formatTimestamp(row.handled_at_ms) };
  return { ...times, outcome, note, run_ids: toRunIds(row.run_ids) };
}

/** Empty for a definition that has become invalid since it was stored, as by a time zone that is unknown now. */
function listStoredNext(definition: ScheduleDefinition, nowMs: number): string[] {
  try {
    return listNext(definition, nowMs);
  } catch (error) {
    if (error instanceof VpError && error.code === 'SCHEDULE_INVALID') return [];
    throw error;
  }
}

export function listNext(definition: ScheduleDefinition, nowMs: number): string[] {
  const timing = toTiming(definition);
  return timing ? listTicksMs(timing, nowMs, 5).map(formatTimestamp) : [];
}

/** What a schedule is shown with. */
type ScheduleFacts = {
  readonly catalogue: readonly SelectableScenario[];
  readonly lastTick: ScheduleTickRow | undefined;
  readonly nowMs: number;
};

function toSchedule(row: ScheduleRow, { catalogue, lastTick, nowMs }: ScheduleFacts): Schedule {
  const definition = readDefinition(row);
  const isPaused = row.paused_at_ms !== null;
  return {
    ...{ schedule_id: row.id, instance: row.instance_id, definition, source: row.source, paused: isPaused },
    ...{ paused_by: row.paused_by, paused_at: formatTimestampOrNull(row.paused_at_ms) },
    next: isPaused ? [] : listStoredNext(definition, nowMs),
    matching_scenarios: selectScenarios(catalogue, definition).length,
    unmatched: listUnmatched(catalogue, definition),
    last_tick: lastTick ? toScheduleTick(lastTick) : null,
    ...{ created_at: formatTimestamp(row.created_at_ms), created_by: row.created_by },
    ...{ updated_at: formatTimestamp(row.updated_at_ms), updated_by: row.updated_by },
  };
}

export function toDocument(sql: Sql, row: ScheduleRow, nowMs: number): ScheduleDocument {
  const ticks = listTicks(sql, toKey(row), maxListedTicks);
  const catalogue = toSelectable(readCatalogue(sql, row.instance_id));
  return { ...toSchedule(row, { catalogue, lastTick: ticks[0], nowMs }), ticks: ticks.map(toScheduleTick) };
}

export type StoredSchedules = {
  readonly rows: readonly ScheduleRow[];
  readonly ticks: ReturnType<typeof listNewestTicks>;
  readonly scenarios: ReturnType<typeof readCatalogue>;
};

/** What {@link toSchedules} needs; throws INSTANCE_UNKNOWN. */
export function readSchedules(sql: Sql, instance: string): StoredSchedules {
  requireInstance(sql, instance);
  const [rows, ticks] = [listSchedules(sql, instance), listNewestTicks(sql, instance)];
  return { rows, ticks, scenarios: readCatalogue(sql, instance) };
}

export function toSchedules({ rows, ticks, scenarios }: StoredSchedules, nowMs: number): Schedule[] {
  const catalogue = toSelectable(scenarios);
  const lastTicks = new Map(ticks.map((tick) => [tick.schedule_id, tick]));
  return rows.map((row) => toSchedule(row, { catalogue, lastTick: lastTicks.get(row.id), nowMs }));
}
