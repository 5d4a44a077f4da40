/** The progress of runs of several requests. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';
import type { OutboxRun } from './reports.ts';

const ChainShape = Type.Object({
  run_id: Type.String(),
  origin: Type.Union([Type.Literal('queue'), Type.Literal('direct')]),
  request: Type.String(),
  progress: Type.String(),
});
/** `request` and `progress` are JSON. */
export type ChainRow = Static<typeof ChainShape>;

const chainReader = createRowReader(ChainShape);

/** Replaces what was stored of this run. */
export function saveChain(sql: Sql, { run_id, origin, request, progress }: ChainRow): void {
  const statement = `INSERT INTO chains (run_id, origin, request, progress) VALUES (?, ?, ?, ?)
    ON CONFLICT (run_id, origin) DO UPDATE SET progress = excluded.progress`;
  sql.execute(statement, run_id, origin, request, progress);
}

export function deleteChain(sql: Sql, { origin, runId }: OutboxRun): void {
  sql.execute('DELETE FROM chains WHERE run_id = ? AND origin = ?', runId, origin);
}

/** Chains of runs that are not in the slot: their executor ended. Oldest first. */
export function listInterruptedChains(sql: Sql): readonly ChainRow[] {
  const text = `SELECT c.run_id, c.origin, c.request, c.progress FROM chains c
    JOIN runs r ON r.run_id = c.run_id AND r.origin = c.origin WHERE r.state IN ('abandoned', 'acknowledged') ORDER BY r.seq`;
  return chainReader.all(sql, text);
}

/** Ends an interrupted run: its report is pending from now on. Only direct runs have a `scenarioText`. */
export function finishInterruptedRun(sql: Sql, run: OutboxRun, report: string, scenarioText: string | null): void {
  const statement = `UPDATE runs SET state = 'finished', report = ?, scenario_text = ?
    WHERE run_id = ? AND origin = ? AND state IN ('abandoned', 'acknowledged')`;
  sql.execute(statement, report, scenarioText, run.runId, run.origin);
  deleteChain(sql, run);
}
