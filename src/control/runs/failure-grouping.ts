/** Groups runs that failed before groups were recorded, in the background and in small steps; continues after a restart. */
import { describeExpiredFailure, describeFailure, type Failure } from '../../insight/failure.ts';
import type { Report } from '../../report/report.ts';
import {
  findGroupingPosition,
  type GroupedFailure,
  listUngroupedFailures,
  recordEarlierFailures,
  type UngroupedFailureRow,
} from '../../store/control/runs/failure-runs.ts';
import type { Database } from '../../store/database.ts';
import type { ControlContext } from '../context.ts';
import { toFailureOccurrence } from './failure-occurrence.ts';

/** Reading 20 reports takes about as long as one page of runs. */
const runsPerStep = 20;

function describeRow(row: UngroupedFailureRow): Failure {
  // Written by toStoredReport from a report that had passed its schema.
  const report: Report | undefined = row.report === null ? undefined : JSON.parse(row.report);
  const failure = report ? describeFailure(report) : undefined;
  const { scenario_id: scenario, failure_kind: kind, failure_message: message, failure_summary: summary } = row;
  return failure ?? describeExpiredFailure({ scenario, kind, message, summary });
}

/** False when nothing is left to do. */
async function groupNextFailures(database: Database): Promise<boolean> {
  const batch = await database.read((sql) => {
    const position = findGroupingPosition(sql);
    return position && { position, rows: listUngroupedFailures(sql, position, runsPerStep) };
  });
  if (!batch) return false;
  const failures = batch.rows.map(
    (row): GroupedFailure => ({
      runMs: row.id,
      startedAtMs: row.started_at_ms ?? row.id,
      failure: toFailureOccurrence(describeRow(row)),
    }),
  );
  await database.write((sql) => recordEarlierFailures(sql, batch.position.instance_id, failures));
  return true;
}

/** `stop` resolves when the last step has ended. */
export type FailureGrouping = { readonly done: Promise<void>; stop(): Promise<void> };

export function groupEarlierFailures(
  { store: { database } }: Pick<ControlContext, 'store'>,
  onError: (error: unknown) => void,
): FailureGrouping {
  let isStopped = false;
  const done = (async () => {
    // Other work goes on between the steps.
    while (!isStopped && (await groupNextFailures(database))) await new Promise((resolve) => setImmediate(resolve));
  })().catch(onError);
  return {
    done,
    stop() {
      isStopped = true;
      return done;
    },
  };
}
