/** How runs end: with a report, or without one. The first final state stands; what arrives later is kept beside it. */
import { Type } from '@sinclair/typebox';
import type { RunState } from '../../run/state.ts';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';
import type { Counters } from './counters.ts';

/** The columns of a run that its report fills. */
export type Ending = {
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
};

/** A report as it is stored: `report` without the response body's text, which stands in `body` (null: none). */
export type StoredReport = { readonly report: string; readonly body: string | null };

/** Where each stands, in the order in which they are written. */
const endingColumns = [
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
] as const satisfies readonly (readonly [column: string, value: (ending: Ending) => string | number | null])[];

const endingNames = endingColumns.map(([column]) => column);

function endingValues(ending: Ending): (string | number | null)[] {
  return endingColumns.map(([, value]) => value(ending));
}

/** Ends a leased run; false when this lease (`fence`) does not hold it any more. */
export function endRun(sql: Sql, counters: Counters, id: number, fence: number, ending: Ending): boolean {
  const set = endingNames.map((column) => `${column} = ?`).join(', ');
  const statement = sql.prepare(`UPDATE runs SET ${set}, seq = ? WHERE id = ? AND fence = ? AND state = 'in_progress'`);
  const done = statement.run(...endingValues(ending), counters.seq(), id, fence);
  return done.changes === 1;
}

/** Stores a run's report and body. */
export function insertReport(sql: Sql, id: number, stored: StoredReport): void {
  sql
    .prepare('INSERT INTO reports (run_id, report, size_bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    .run(id, stored.report, Buffer.byteLength(stored.report));
  if (stored.body === null) return;
  sql
    .prepare('INSERT INTO bodies (run_id, body, size_bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    .run(id, stored.body, Buffer.byteLength(stored.body));
}

const presence = rowReader(Type.Object({ found: Type.Integer() }));

/** True when the run's report was already taken, or has been and expired. */
export function hasReport(sql: Sql, id: number): boolean {
  const statement = sql.prepare(
    `SELECT 1 AS found FROM runs WHERE id = ? AND (report_expired = 1 OR EXISTS (SELECT 1 FROM reports WHERE run_id = ?))`,
  );
  return presence.one(statement, id, id) !== undefined;
}

/** Keeps a report that came too late, or for a run that this store never knew; the first one stays. */
export function insertLateReport(
  sql: Sql,
  late: { readonly id: number; readonly instance: string; readonly correlationId: string; readonly report: string },
): void {
  sql
    .prepare(
      `INSERT INTO late_reports (run_id, instance_id, correlation_id, size_bytes, report) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    )
    .run(late.id, late.instance, late.correlationId, Buffer.byteLength(late.report), late.report);
}

const ids = rowReader(Type.Object({ id: Type.Integer() }));

/** An executor's clock may run ahead of ours by this much; ids beyond it would hold up all later ones. */
const clockSlackMs = 60_000;

function freeId(sql: Sql, counters: Counters, wanted: number, nowMs: number): number {
  const taken = ids.one(sql.prepare('SELECT id FROM runs WHERE id = ?'), wanted) !== undefined;
  if (taken || wanted > nowMs + clockSlackMs) return counters.runMs(nowMs);
  counters.sawRunMs(wanted);
  return wanted;
}

/** A direct run to be stored after its end. */
export type DirectInput = {
  readonly id: number;
  readonly instance: string;
  readonly scenario: string;
  readonly revisionId: number;
  readonly correlationId: string;
  readonly requestedAtMs: number;
  readonly nowMs: number;
  readonly ending: Ending;
};

/**
 * Stores a run that was started directly on the executor. The executor chose its id without asking: when another run
 * has it, the next free one is taken, and the correlation id goes on saying what was sent. Repeated: undefined.
 */
export function insertDirectRun(sql: Sql, counters: Counters, input: DirectInput): number | undefined {
  const known = sql.prepare("SELECT id FROM runs WHERE instance_id = ? AND correlation_id = ? AND origin = 'direct'");
  const earlier = ids.one(known, input.instance, input.correlationId);
  if (earlier) return undefined;
  const id = freeId(sql, counters, input.id, input.nowMs);
  const marks = endingNames.map(() => '?').join(', ');
  const statement = sql.prepare(
    `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, origin, requested_by, requested_at_ms,
       ${endingNames.join(', ')}, seq)
     VALUES (?, ?, ?, ?, ?, 'direct', 'direct', ?, ${marks}, ?)`,
  );
  const { instance, scenario, revisionId, correlationId, requestedAtMs, ending } = input;
  const own = [id, instance, scenario, revisionId, correlationId, requestedAtMs];
  statement.run(...own, ...endingValues(ending), counters.seq());
  return id;
}

const reports = rowReader(Type.Object({ report: Type.String(), body: Type.Union([Type.String(), Type.Null()]) }));

/** A run's report and, unless it expired, its body. */
export function findReport(sql: Sql, id: number): StoredReport | undefined {
  const statement = sql.prepare(
    'SELECT p.report, b.body FROM reports p LEFT JOIN bodies b ON b.run_id = p.run_id WHERE p.run_id = ?',
  );
  return reports.one(statement, id);
}

const lates = rowReader(Type.Object({ report: Type.String() }));

/** The report that came too late for a run: of its own instance, and of this run by its correlation id. */
export function findLateReport(sql: Sql, id: number, instance: string, correlationId: string): string | undefined {
  const statement = sql.prepare(
    'SELECT report FROM late_reports WHERE run_id = ? AND instance_id = ? AND correlation_id = ?',
  );
  return lates.one(statement, id, instance, correlationId)?.report;
}
