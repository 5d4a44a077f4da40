/** The executor's one slot: which run is being executed. */
import { Type } from '@sinclair/typebox';
import { epochMsOfRunId, nextRunMs, runIdOf } from '../../run/run-id.ts';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

/** A leased run. */
export type LeasedStart = { readonly runId: string; readonly fence: number; readonly startedAtMs: number };

/** `known`: this leased run was started before. `busy`: another one has the slot. */
export type StartOutcome =
  | { readonly outcome: 'started'; readonly runId: string }
  | { readonly outcome: 'known'; readonly runId: string }
  | { readonly outcome: 'busy'; readonly runId: string };

const idReader = rowReader(Type.Object({ run_id: Type.String() }));

const insert = `INSERT INTO runs (run_id, origin, fence, state, started_at_ms) VALUES (?, ?, ?, 'started', ?)
  ON CONFLICT DO NOTHING`;

/** The run that has the slot. */
export function runInSlot(sql: Sql): string | undefined {
  return idReader.one(sql.prepare(`SELECT run_id FROM runs WHERE state = 'started'`))?.run_id;
}

function isKnown(sql: Sql, runId: string): boolean {
  const text = `SELECT run_id FROM runs WHERE run_id = ? AND origin = 'queue'`;
  return idReader.one(sql.prepare(text), runId) !== undefined;
}

/** Gives the slot to a leased run. Its first byte may leave only after the commit. */
export function startLeased(sql: Sql, { runId, fence, startedAtMs }: LeasedStart): StartOutcome {
  if (sql.prepare(insert).run(runId, 'queue', fence, startedAtMs).changes === 1) return { outcome: 'started', runId };
  return isKnown(sql, runId) ? { outcome: 'known', runId } : { outcome: 'busy', runId: runInSlot(sql) ?? runId };
}

/** Gives the slot, if it is idle, to a direct run with an id of its own: now, or a millisecond after the newest run. */
export function startDirect(sql: Sql, nowMs: number): StartOutcome {
  const busyWith = runInSlot(sql);
  if (busyWith !== undefined) return { outcome: 'busy', runId: busyWith };
  const runId = runIdOf(nextRunMs(nowMs, newestRunMs(sql)));
  sql.prepare(insert).run(runId, 'direct', null, nowMs);
  return { outcome: 'started', runId };
}

/** Run ids are as wide as each other, so the greatest text is the newest run. */
function newestRunMs(sql: Sql): number {
  const newest = idReader.one(sql.prepare('SELECT run_id FROM runs ORDER BY run_id DESC LIMIT 1'));
  return epochMsOfRunId(newest?.run_id ?? '') ?? 0;
}

/** Frees the slot: the report waits from now on. `scenarioText` only of a direct run. False when it had not the slot. */
export function finishRun(sql: Sql, runId: string, report: string, scenarioText: string | null): boolean {
  const statement = sql.prepare(
    `UPDATE runs SET state = 'finished', report = ?, scenario_text = ? WHERE run_id = ? AND state = 'started'`,
  );
  return statement.run(report, scenarioText, runId).changes === 1;
}

/** At a start: the run that the last start left in the slot will have no report. */
export function abandonSlot(sql: Sql): void {
  sql.prepare(`UPDATE runs SET state = 'abandoned' WHERE state = 'started'`).run();
}
