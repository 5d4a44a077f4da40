/** Reports on their way to the control plane. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

const WaitingShape = Type.Object({
  run_id: Type.String(),
  fence: Type.Union([Type.Integer(), Type.Null()]),
  scenario_text: nullableText,
  report: Type.String(),
});
/** A finished run; `report` is JSON. `fence` only of a leased run, `scenario_text` only of a direct one. */
export type WaitingReport = Static<typeof WaitingShape>;

/** Where a run came from, as the store keeps it. Two runs of different origin may have the same id. */
export type StoredOrigin = 'queue' | 'direct';

/** A run of this store. */
export type StoredRun = { readonly origin: StoredOrigin; readonly runId: string };

const waitingReader = rowReader(WaitingShape);
const idReader = rowReader(Type.Object({ run_id: Type.String() }));
const Counts = Type.Object({ waiting: Type.Integer(), refused: Type.Integer() });
const countReader = rowReader(Counts);

const columns = 'run_id, fence, scenario_text, report';

/** The oldest report of `origin` that waits. */
export function oldestWaiting(sql: Sql, origin: StoredOrigin): WaitingReport | undefined {
  const text = `SELECT ${columns} FROM runs WHERE state = 'finished' AND origin = ? ORDER BY seq LIMIT 1`;
  return waitingReader.one(sql.prepare(text), origin);
}

/** The report of one leased run, if it waits. */
export function waitingReport(sql: Sql, runId: string): WaitingReport | undefined {
  const text = `SELECT ${columns} FROM runs WHERE run_id = ? AND origin = 'queue' AND state = 'finished'`;
  return waitingReader.one(sql.prepare(text), runId);
}

/** Run ids of leased runs whose report waits, oldest first. */
export function waitingLeased(sql: Sql, limit: number): string[] {
  const text = `SELECT run_id FROM runs WHERE state = 'finished' AND origin = 'queue' ORDER BY seq LIMIT ?`;
  return idReader.all(sql.prepare(text), limit).map(({ run_id }) => run_id);
}

/** How many reports wait, and how many were refused. */
export function countReports(sql: Sql): Static<typeof Counts> {
  const text = `SELECT (SELECT count(*) FROM runs WHERE state = 'finished') AS waiting,
    (SELECT count(*) FROM runs WHERE state = 'refused') AS refused`;
  return countReader.one(sql.prepare(text)) ?? { waiting: 0, refused: 0 };
}

/** Acknowledged runs that are remembered, so that none of them is started again. */
export const rememberedRuns = 10_000;

/** The control plane has the report; the oldest remembered runs are forgotten. */
export function acknowledge(sql: Sql, { origin, runId }: StoredRun): void {
  const taken = `UPDATE runs SET state = 'acknowledged', report = NULL, scenario_text = NULL`;
  sql.prepare(`${taken} WHERE run_id = ? AND origin = ?`).run(runId, origin);
  sql
    .prepare(`DELETE FROM runs WHERE state = 'acknowledged' AND seq <= (SELECT max(seq) FROM runs) - ?`)
    .run(rememberedRuns);
}

/** The control plane will not take the report as it is; `refusal` says why. */
export function setApart(sql: Sql, { origin, runId }: StoredRun, refusal: string): void {
  sql
    .prepare(`UPDATE runs SET state = 'refused', refusal = ? WHERE run_id = ? AND origin = ? AND state = 'finished'`)
    .run(refusal, runId, origin);
}

/** At a start: reports that were refused are tried once more, perhaps with another control plane. */
export function retryRefused(sql: Sql): void {
  sql.prepare(`UPDATE runs SET state = 'finished', refusal = NULL WHERE state = 'refused'`).run();
}
