/** The runs of a group of failures: when they were, and of which versions of the target. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import { type FailureOccurrence, recordFailure } from './failure-groups.ts';

/** A group that fails all the time has more; these bound the cost of a page. */
const maxCountedRuns = 2000;
const maxVersions = 50;
const dayMs = 86_400_000;

const dayReader = createRowReader(Type.Object({ day: Type.Integer(), runs: Type.Integer() }));

/** By day since 1970 (UTC): how many of the newest 2,000 runs of a group were requested on it, from `sinceMs` on. */
export function countFailuresByDay(sql: Sql, instance: string, group: string, sinceMs: number): Map<number, number> {
  const statement = `SELECT d.day, count(*) AS runs FROM (
      SELECT id / ${dayMs} AS day FROM runs
      WHERE instance_id = ? AND failure_group = ? AND id >= ? ORDER BY id DESC LIMIT ?) AS d GROUP BY d.day`;
  const rows = dayReader.all(sql, statement, instance, group, sinceMs, maxCountedRuns);
  return new Map(rows.map(({ day, runs }) => [day, runs]));
}

const VersionShape = Type.Object({
  version: Type.Union([Type.String(), Type.Null()]),
  first_run_id: Type.Integer(),
  last_run_id: Type.Integer(),
  runs: Type.Integer(),
});
export type FailureVersionRow = Static<typeof VersionShape>;

const versionReader = createRowReader(VersionShape);

/** Versions of the target in the newest 2,000 runs of a group, the newest first; null where no version is known. */
export function listFailureVersions(sql: Sql, instance: string, group: string): FailureVersionRow[] {
  const statement = `SELECT r.version, min(r.id) AS first_run_id, max(r.id) AS last_run_id, count(*) AS runs FROM (
      SELECT id, target_version AS version FROM runs
      WHERE instance_id = ? AND failure_group = ? ORDER BY id DESC LIMIT ?) AS r
    GROUP BY r.version ORDER BY max(r.id) DESC LIMIT ?`;
  return versionReader.all(sql, statement, instance, group, maxCountedRuns, maxVersions);
}

const idReader = createRowReader(Type.Object({ id: Type.Integer() }));

/** The newest runs of a group. */
export function listFailureRunIds(sql: Sql, instance: string, group: string, limit: number): number[] {
  const statement = 'SELECT id FROM runs WHERE instance_id = ? AND failure_group = ? ORDER BY id DESC LIMIT ?';
  return idReader.all(sql, statement, instance, group, limit).map(({ id }) => id);
}

const PositionShape = Type.Object({ instance_id: Type.String(), below_run_id: Type.Integer() });
/** How far the earlier failures of an instance are grouped: those below this run are not. */
export type GroupingPosition = Static<typeof PositionShape>;

const positionReader = createRowReader(PositionShape);

/** Undefined when all earlier failures are grouped. */
export function findGroupingPosition(sql: Sql): GroupingPosition | undefined {
  return positionReader.first(
    sql,
    'SELECT instance_id, below_run_id FROM ungrouped_failures ORDER BY instance_id LIMIT 1',
  );
}

const UngroupedShape = Type.Object({
  id: Type.Integer(),
  scenario_id: Type.String(),
  started_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  failure_kind: Type.Union([Type.String(), Type.Null()]),
  failure_message: Type.Union([Type.String(), Type.Null()]),
  failure_summary: Type.Union([Type.String(), Type.Null()]),
  report: Type.Union([Type.String(), Type.Null()]),
});
/** A failed run without a group; its report is null when it has expired. */
export type UngroupedFailureRow = Static<typeof UngroupedShape>;

const ungroupedReader = createRowReader(UngroupedShape);

/** The newest failed runs below the position, at most `limit`; those that have a group are left out. */
export function listUngroupedFailures(sql: Sql, position: GroupingPosition, limit: number): UngroupedFailureRow[] {
  const statement = `SELECT r.id, r.scenario_id, r.started_at_ms, r.failure_kind, r.failure_message, r.failure_summary, p.report
    FROM runs r LEFT JOIN reports p ON p.run_id = r.id
    WHERE r.instance_id = ? AND r.state = 'failed' AND r.id < ? AND r.failure_group IS NULL ORDER BY r.id DESC LIMIT ?`;
  return ungroupedReader.all(sql, statement, position.instance_id, position.below_run_id, limit);
}

export type GroupedFailure = {
  readonly runMs: number;
  readonly startedAtMs: number;
  readonly failure: FailureOccurrence;
};

/** Groups earlier failures and moves the position below them; without failures the instance is done. */
export function recordEarlierFailures(sql: Sql, instance: string, failures: readonly GroupedFailure[]): void {
  for (const { runMs, startedAtMs, failure } of failures) {
    const statement = 'UPDATE runs SET failure_group = ? WHERE id = ? AND failure_group IS NULL';
    if (sql.run(statement, failure.group, runMs) === 1) recordFailure(sql, { instance, runMs, startedAtMs }, failure);
  }
  const lowest = failures.at(-1)?.runMs;
  if (lowest === undefined) sql.execute('DELETE FROM ungrouped_failures WHERE instance_id = ?', instance);
  else sql.run('UPDATE ungrouped_failures SET below_run_id = ? WHERE instance_id = ?', lowest, instance);
}
