/** Reports on their way to the control plane. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';
import { openOrigin, openSeq } from './outbox-schema.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

const PendingReportShape = Type.Object({
  run_id: Type.String(),
  fence: Type.Union([Type.Integer(), Type.Null()]),
  scenario_text: nullableText,
  report: Type.String(),
});
/** A finished run; `report` is JSON. Only leased runs have a `fence`, only direct ones a `scenario_text`. */
export type PendingReport = Static<typeof PendingReportShape>;

/** Two runs of different origin may have the same id. */
export type OutboxOrigin = 'queue' | 'direct';

export type OutboxRun = { readonly origin: OutboxOrigin; readonly runId: string };

const pendingReader = createRowReader(PendingReportShape);
const idReader = createRowReader(Type.Object({ run_id: Type.String() }));
const Counts = Type.Object({ waiting: Type.Integer(), refused: Type.Integer() });
const countReader = createRowReader(Counts);

const columns = 'run_id, fence, scenario_text, report';
/** In the words of the index `runs_open`. */
const pendingInOrder = `FROM runs WHERE state = 'finished' AND ${openOrigin} = ? ORDER BY ${openSeq} LIMIT ?`;

export function findOldestPendingReport(sql: Sql, origin: OutboxOrigin): PendingReport | undefined {
  return pendingReader.first(sql, `SELECT ${columns} ${pendingInOrder}`, origin, 1);
}

/** Finds the report of a leased run. */
export function findPendingReport(sql: Sql, runId: string): PendingReport | undefined {
  const text = `SELECT ${columns} FROM runs WHERE run_id = ? AND origin = 'queue' AND state = 'finished'`;
  return pendingReader.first(sql, text, runId);
}

/** Leased runs whose report has not been acknowledged, oldest first. */
export function listPendingRunIds(sql: Sql, limit: number): string[] {
  return idReader.all(sql, `SELECT run_id ${pendingInOrder}`, 'queue', limit).map(({ run_id }) => run_id);
}

export function countOutboxReports(sql: Sql): Static<typeof Counts> {
  const text = `SELECT (SELECT count(*) FROM runs WHERE state = 'finished') AS waiting,
    (SELECT count(*) FROM runs WHERE state = 'refused') AS refused`;
  return countReader.first(sql, text) ?? { waiting: 0, refused: 0 };
}

/** The newest so many runs stay in the store when they are acknowledged, so that none of them is started again. */
export const maxRetainedAcknowledgedRuns = 10_000;
/** So many of the oldest are deleted together: one with each acknowledgement would change up to two more pages in each commit. */
export const acknowledgementsPerDeletion = 64;

/** Marks the report of a run as taken by the control plane. */
export type AcknowledgeReport = (sql: Sql, run: OutboxRun) => void;

/** The first acknowledgement, and some of those that follow, delete runs beyond the number that is retained. */
export function createAcknowledgeReport(): AcknowledgeReport {
  let count = 0;
  return (sql, { origin, runId }) => {
    const update = `UPDATE runs SET state = 'acknowledged', report = NULL, scenario_text = NULL`;
    sql.execute(`${update} WHERE run_id = ? AND origin = ?`, runId, origin);
    const isDue = count % acknowledgementsPerDeletion === 0;
    count += 1;
    if (!isDue) return;
    sql.execute(
      `DELETE FROM runs WHERE state = 'acknowledged' AND seq <= (SELECT max(seq) FROM runs) - ?`,
      maxRetainedAcknowledgedRuns,
    );
  };
}

/** The control plane refused the report; `refusal` says why. */
export function markReportRefused(sql: Sql, { origin, runId }: OutboxRun, refusal: string): void {
  sql.execute(
    `UPDATE runs SET state = 'refused', refusal = ? WHERE run_id = ? AND origin = ? AND state = 'finished'`,
    refusal,
    runId,
    origin,
  );
}

/** At startup: refused reports are sent once more, perhaps to another control plane. */
export function retryRefusedReports(sql: Sql): void {
  sql.execute(`UPDATE runs SET state = 'finished', refusal = NULL WHERE state = 'refused'`);
}
