/** The executor's one slot: which run is being executed. */
import { Type } from '@sinclair/typebox';
import { formatRunId, getNextRunTimeMs, parseRunId } from '../../run/run-id.ts';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

export type LeasedRunStart = { readonly runId: string; readonly fence: number; readonly startedAtMs: number };

/** `known`: this leased run was started before. `busy`: another run has the slot. */
export type RunStartOutcome =
  | { readonly outcome: 'started'; readonly runId: string }
  | { readonly outcome: 'known'; readonly runId: string }
  | { readonly outcome: 'busy'; readonly runId: string };

const idReader = createRowReader(Type.Object({ run_id: Type.String() }));

const insertRun = `INSERT INTO runs (run_id, origin, fence, state, started_at_ms) VALUES (?, ?, ?, 'started', ?)
  ON CONFLICT DO NOTHING`;

export function findRunInSlot(sql: Sql): string | undefined {
  return idReader.first(sql, `SELECT run_id FROM runs WHERE state = 'started'`)?.run_id;
}

function hasLeasedRun(sql: Sql, runId: string): boolean {
  const text = `SELECT run_id FROM runs WHERE run_id = ? AND origin = 'queue'`;
  return idReader.first(sql, text, runId) !== undefined;
}

/** Gives the slot to a leased run. Its first byte may leave only after the commit. */
export function startLeasedRun(sql: Sql, { runId, fence, startedAtMs }: LeasedRunStart): RunStartOutcome {
  if (sql.run(insertRun, runId, 'queue', fence, startedAtMs) === 1) return { outcome: 'started', runId };
  return hasLeasedRun(sql, runId)
    ? { outcome: 'known', runId }
    : { outcome: 'busy', runId: findRunInSlot(sql) ?? runId };
}

/** Forgets a start after which nothing was sent: the run can be started again. */
export function withdrawLeasedRun(sql: Sql, runId: string): void {
  sql.execute(`DELETE FROM runs WHERE run_id = ? AND origin = 'queue' AND state = 'started'`, runId);
}

/** Gives the slot, when it is free, to a direct run. Its new id is now, or a millisecond after the newest run. */
export function startDirectRun(sql: Sql, nowMs: number): RunStartOutcome {
  const busyWith = findRunInSlot(sql);
  if (busyWith !== undefined) return { outcome: 'busy', runId: busyWith };
  const runId = formatRunId(getNextRunTimeMs(nowMs, findNewestRunMs(sql)));
  sql.execute(insertRun, runId, 'direct', null, nowMs);
  return { outcome: 'started', runId };
}

/** Run ids have the same length, so the greatest text is the newest run. */
function findNewestRunMs(sql: Sql): number {
  const newest = idReader.first(sql, 'SELECT run_id FROM runs ORDER BY run_id DESC LIMIT 1');
  return parseRunId(newest?.run_id ?? '') ?? 0;
}

/** Frees the slot; the report is pending from now on. Only direct runs have a `scenarioText`. False when the run did not have the slot. */
export function finishRunInSlot(sql: Sql, runId: string, report: string, scenarioText: string | null): boolean {
  const statement = `UPDATE runs SET state = 'finished', report = ?, scenario_text = ? WHERE run_id = ? AND state = 'started'`;
  return sql.run(statement, report, scenarioText, runId) === 1;
}

/** At startup: the run that is still in the slot will never have a report. */
export function abandonRunInSlot(sql: Sql): void {
  sql.execute(`UPDATE runs SET state = 'abandoned' WHERE state = 'started'`);
}

/** Leased runs, newest first; the control plane does not know of direct runs that have no report. */
export function listAbandonedRuns(sql: Sql, limit: number): string[] {
  const text = `SELECT run_id FROM runs WHERE state = 'abandoned' AND origin = 'queue' ORDER BY seq DESC LIMIT ?`;
  return idReader.all(sql, text, limit).map(({ run_id }) => run_id);
}

/** The control plane knows of the abandoned runs: they count as acknowledged. */
export function markAbandonedReported(sql: Sql): void {
  sql.execute(`UPDATE runs SET state = 'acknowledged' WHERE state = 'abandoned'`);
}
