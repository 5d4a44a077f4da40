/** How runs end: with a report, or without one. The first final state stands; a later report is stored as a late report. */
import { type Static, Type } from '@sinclair/typebox';
import { type RunState, runStates } from '../../../run/state.ts';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';
import { type FailureOccurrence, recordFailure } from './failure-groups.ts';

const ReportedRunShape = Type.Object({
  id: Type.Integer(),
  instance_id: Type.String(),
  scenario_id: Type.String(),
  correlation_id: Type.String(),
  state: Type.Union(runStates.map((state) => Type.Literal(state))),
  origin: Type.String(),
  fence: Type.Union([Type.Integer(), Type.Null()]),
  failure_kind: Type.Union([Type.String(), Type.Null()]),
  has_quarantines: Type.Integer(),
});
/** What accepting a report reads of its run. `has_quarantines`: some scenario of its instance is in quarantine. */
export type ReportedRun = Static<typeof ReportedRunShape>;

const reportedRunReader = createRowReader(ReportedRunShape);
const selectReportedRun = `SELECT r.id, r.instance_id, r.scenario_id, r.correlation_id, r.state, r.origin, r.fence, r.failure_kind,
  CASE WHEN EXISTS (SELECT 1 FROM scenario_quarantines q WHERE q.instance_id = r.instance_id AND q.until_ms > ?)
    THEN 1 ELSE 0 END AS has_quarantines FROM runs r WHERE r.id = ?`;

/** Reads fewer columns than `findRun`, and no other table's: every report needs it. */
export function findReportedRun(sql: Sql, id: number, nowMs: number): ReportedRun | undefined {
  return reportedRunReader.first(sql, selectReportedRun, nowMs, id);
}

/** The columns of a run that its report determines. */
export type RunCompletion = {
  readonly state: RunState;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number;
  readonly failureKind: string | null;
  readonly failureMessage: string | null;
  readonly failureSummary: string | null;
  readonly observedStatus: number | null;
  readonly assertionsEnforcedCount: number | null;
  readonly evidenceAssertionsCount: number | null;
  readonly durationMs: number | null;
  readonly evidenceMs: number | null;
  readonly targetProcess: string | null;
  readonly targetVersion: string | null;
  /** Null unless it failed. */
  readonly failure: FailureOccurrence | null;
  /** JSON; null unless the scenario is in quarantine. */
  readonly quarantine: string | null;
};

/** `report` lacks the response body's text, which is in `body` (null: none). */
export type StoredReport = { readonly report: string; readonly body: string | null };

/** Columns in the order of writing. */
const completionColumns = [
  ['state', ({ state }) => state],
  ['started_at_ms', ({ startedAtMs }) => startedAtMs],
  ['finished_at_ms', ({ finishedAtMs }) => finishedAtMs],
  ['failure_kind', ({ failureKind }) => failureKind],
  ['failure_message', ({ failureMessage }) => failureMessage],
  ['failure_summary', ({ failureSummary }) => failureSummary],
  ['observed_status', ({ observedStatus }) => observedStatus],
  ['assertions_enforced_count', ({ assertionsEnforcedCount }) => assertionsEnforcedCount],
  ['evidence_assertions_count', ({ evidenceAssertionsCount }) => evidenceAssertionsCount],
  ['duration_ms', ({ durationMs }) => durationMs],
  ['evidence_ms', ({ evidenceMs }) => evidenceMs],
  ['target_process', ({ targetProcess }) => targetProcess],
  ['target_version', ({ targetVersion }) => targetVersion],
  ['failure_group', ({ failure }) => failure?.group ?? null],
  ['quarantine', ({ quarantine }) => quarantine],
] as const satisfies readonly (readonly [
  column: string,
  value: (completion: RunCompletion) => string | number | null,
])[];

const completionColumnNames = completionColumns.map(([column]) => column);

/** Columns that most runs leave as they are: without an assignment, their indexes are not looked at. */
type SkippedColumns = { readonly version: boolean; readonly failure: boolean; readonly quarantine: boolean };

function isSkipped(column: string, { version, failure, quarantine }: SkippedColumns): boolean {
  if (column === 'target_version') return version;
  return column === 'failure_group' ? failure : column === 'quarantine' && quarantine;
}

/** The version that the request named stands: it is what its author compares by. */
function formatCompletion(skipped: SkippedColumns): string {
  const assignments = completionColumnNames
    .filter((column) => !isSkipped(column, skipped))
    .map((column) => (column === 'target_version' ? 'target_version = coalesce(target_version, ?)' : `${column} = ?`));
  return `UPDATE runs SET ${assignments.join(', ')}, seq = ? WHERE id = ?`;
}

/** That of most runs. */
const shortestCompletion = formatCompletion({ version: true, failure: true, quarantine: true });

function toCompletionValues(completion: RunCompletion): (string | number | null)[] {
  return completionColumns.map(([, value]) => value(completion));
}

/** Ends a leased run, which this transaction has read; false when this lease (`fence`) no longer holds it. */
export function completeRun(
  sql: Sql,
  counters: Counters,
  run: Pick<ReportedRun, 'id' | 'instance_id' | 'state' | 'fence'>,
  fence: number,
  completion: RunCompletion,
): boolean {
  if (run.state !== 'in_progress' || run.fence !== fence) return false;
  const { targetVersion, failure, quarantine } = completion;
  const skipped = { version: targetVersion === null, failure: failure === null, quarantine: quarantine === null };
  const values = completionColumns.flatMap(([column, value]) =>
    isSkipped(column, skipped) ? [] : [value(completion)],
  );
  const isShortest = skipped.version && skipped.failure && skipped.quarantine;
  const text = isShortest ? shortestCompletion : formatCompletion(skipped);
  sql.execute(text, ...values, counters.nextSeq(), run.id);
  recordCompletionFailure(sql, run.instance_id, run.id, completion);
  return true;
}

function recordCompletionFailure(sql: Sql, instance: string, runMs: number, completion: RunCompletion): void {
  if (!completion.failure) return;
  recordFailure(sql, { instance, runMs, startedAtMs: completion.startedAtMs ?? runMs }, completion.failure);
}

export function insertReport(sql: Sql, id: number, stored: StoredReport): void {
  sql.execute(
    'INSERT INTO reports (run_id, report, size_bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    id,
    stored.report,
    Buffer.byteLength(stored.report),
  );
  if (stored.body === null) return;
  sql.execute(
    'INSERT INTO bodies (run_id, body, size_bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    id,
    stored.body,
    Buffer.byteLength(stored.body),
  );
}

const presenceReader = createRowReader(Type.Object({ present: Type.Integer() }));

/** Also true when the report has expired. */
export function hasReport(sql: Sql, id: number): boolean {
  const statement = `SELECT 1 AS present FROM runs WHERE id = ? AND (report_expired = 1 OR EXISTS (SELECT 1 FROM reports WHERE run_id = ?))`;
  return presenceReader.first(sql, statement, id, id) !== undefined;
}

/** Stores a report that came too late, or for a run that this store never knew; the first one stays. */
export function insertLateReport(
  sql: Sql,
  lateReport: {
    readonly id: number;
    readonly instance: string;
    readonly correlationId: string;
    readonly report: string;
  },
): void {
  sql.execute(
    `INSERT INTO late_reports (run_id, instance_id, correlation_id, size_bytes, report) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    lateReport.id,
    lateReport.instance,
    lateReport.correlationId,
    Buffer.byteLength(lateReport.report),
    lateReport.report,
  );
}

const idReader = createRowReader(Type.Object({ id: Type.Integer() }));

/** An executor's clock may run this far ahead of ours; a later id would push all following ids into the future. */
const maxClockLeadMs = 60_000;

function chooseRunId(sql: Sql, counters: Counters, requestedId: number, nowMs: number): number {
  const isTaken = idReader.first(sql, 'SELECT id FROM runs WHERE id = ?', requestedId) !== undefined;
  if (isTaken || requestedId > nowMs + maxClockLeadMs) return counters.getNextRunTimeMs(nowMs);
  counters.observeRunMs(requestedId);
  return requestedId;
}

/** A direct run after its end. */
export type NewDirectRun = {
  readonly id: number;
  readonly instance: string;
  readonly scenario: string;
  readonly revisionId: number;
  readonly correlationId: string;
  readonly requestedAtMs: number;
  readonly nowMs: number;
  readonly completion: RunCompletion;
};

/**
 * Stores a run that was started directly on the executor; undefined when it is stored already. The executor chose the run's
 * id itself: when another run has it, the next free one is used, and the correlation id still tells what was sent.
 */
export function insertDirectRun(sql: Sql, counters: Counters, input: NewDirectRun): number | undefined {
  const knownStatement = "SELECT id FROM runs WHERE instance_id = ? AND correlation_id = ? AND origin = 'direct'";
  const earlier = idReader.first(sql, knownStatement, input.instance, input.correlationId);
  if (earlier) return undefined;
  const id = chooseRunId(sql, counters, input.id, input.nowMs);
  const placeholders = completionColumnNames.map(() => '?').join(', ');
  const statement = `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, origin, requested_by, requested_at_ms,
       ${completionColumnNames.join(', ')}, seq)
     VALUES (?, ?, ?, ?, ?, 'direct', 'direct', ?, ${placeholders}, ?)`;
  const { instance, scenario, revisionId, correlationId, requestedAtMs, completion } = input;
  const runValues = [id, instance, scenario, revisionId, correlationId, requestedAtMs];
  sql.execute(statement, ...runValues, ...toCompletionValues(completion), counters.nextSeq());
  recordCompletionFailure(sql, instance, id, completion);
  return id;
}

const reportReader = createRowReader(
  Type.Object({ report: Type.String(), body: Type.Union([Type.String(), Type.Null()]) }),
);

export function findReport(sql: Sql, id: number): StoredReport | undefined {
  const statement =
    'SELECT p.report, b.body FROM reports p LEFT JOIN bodies b ON b.run_id = p.run_id WHERE p.run_id = ?';
  return reportReader.first(sql, statement, id);
}
