/** Failed runs by what failed: written when a run ends, with one row, and read newest first. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

/** What failed in a run. `group` identifies it within the instance. */
export type FailureOccurrence = {
  readonly group: string;
  readonly scenario: string;
  readonly check: string | null;
  readonly step: string | null;
  readonly line: number | null;
  readonly outcome: string;
  readonly kind: string;
};

export type FailedRun = { readonly instance: string; readonly runMs: number; readonly startedAtMs: number };

/**
 * Counts a failed run in its group, which it creates or, when the run was started after the group was resolved, opens again.
 * Runs may come in any order: earlier ones are grouped in the background.
 */
export function recordFailure(sql: Sql, run: FailedRun, failure: FailureOccurrence): void {
  const isRegression = 'failure_groups.resolved_at_ms < ?';
  sql.execute(
    `INSERT INTO failure_groups (instance_id, id, scenario_id, check_text, step, line, outcome, kind, first_run_id,
       last_run_id, occurrences) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
     ON CONFLICT (instance_id, id) DO UPDATE SET
       occurrences = failure_groups.occurrences + 1,
       line = CASE WHEN excluded.last_run_id > failure_groups.last_run_id THEN excluded.line ELSE failure_groups.line END,
       first_run_id = CASE WHEN excluded.first_run_id < failure_groups.first_run_id
         THEN excluded.first_run_id ELSE failure_groups.first_run_id END,
       last_run_id = CASE WHEN excluded.last_run_id > failure_groups.last_run_id
         THEN excluded.last_run_id ELSE failure_groups.last_run_id END,
       reopened_run_id = CASE WHEN ${isRegression} THEN excluded.last_run_id ELSE failure_groups.reopened_run_id END,
       resolved_at_ms = CASE WHEN ${isRegression} THEN NULL ELSE failure_groups.resolved_at_ms END`,
    ...[run.instance, failure.group, failure.scenario, failure.check, failure.step, failure.line, failure.outcome],
    ...[failure.kind, run.runMs, run.runMs, run.startedAtMs, run.startedAtMs],
  );
}

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const nullableText = Type.Union([Type.String(), Type.Null()]);

const GroupShape = Type.Object({
  id: Type.String(),
  scenario_id: Type.String(),
  check_text: nullableText,
  step: nullableText,
  line: nullableInteger,
  outcome: Type.String(),
  kind: Type.String(),
  first_run_id: Type.Integer(),
  last_run_id: Type.Integer(),
  occurrences: Type.Integer(),
  resolved_at_ms: nullableInteger,
  resolved_by: nullableText,
  reopened_run_id: nullableInteger,
  assignee: nullableText,
  note: nullableText,
  first_version: nullableText,
  last_version: nullableText,
  reopened_version: nullableText,
  summary: nullableText,
  is_current: Type.Integer(),
});
/** `is_current`: the newest run of the scenario that passed or failed is one of the group. */
export type FailureGroupRow = Static<typeof GroupShape>;

const groupReader = createRowReader(GroupShape);

const isCurrent = `CASE WHEN (SELECT r.failure_group FROM runs r WHERE r.scenario_id = g.scenario_id
  AND r.instance_id = g.instance_id AND r.state IN ('passed', 'failed') ORDER BY r.id DESC LIMIT 1) = g.id THEN 1 ELSE 0 END`;
const select = `SELECT g.id, g.scenario_id, g.check_text, g.step, g.line, g.outcome, g.kind, g.first_run_id, g.last_run_id,
  g.occurrences, g.resolved_at_ms, g.resolved_by, g.reopened_run_id, g.assignee, g.note, f.target_version AS first_version,
  l.target_version AS last_version, o.target_version AS reopened_version,
  coalesce(l.failure_summary, l.failure_message) AS summary, ${isCurrent} AS is_current
  FROM failure_groups g LEFT JOIN runs f ON f.id = g.first_run_id LEFT JOIN runs l ON l.id = g.last_run_id
  LEFT JOIN runs o ON o.id = g.reopened_run_id`;

export function findFailureGroup(sql: Sql, instance: string, id: string): FailureGroupRow | undefined {
  return groupReader.first(sql, `${select} WHERE g.instance_id = ? AND g.id = ?`, instance, id);
}

/** `failing`: open, and in the newest result of the scenario. */
export type FailureGroupState = 'failing' | 'open' | 'resolved';

export type FailureGroupQuery = {
  readonly instance: string;
  readonly state?: FailureGroupState | undefined;
  readonly scenario?: string | undefined;
  readonly assignee?: string | undefined;
  /** Where an earlier page ended: the last run of its last group. A run is in one group only. */
  readonly beforeRunId?: number | undefined;
  readonly limit: number;
};

const stateConditions: Readonly<Record<FailureGroupState, string>> = {
  failing: `g.resolved_at_ms IS NULL AND ${isCurrent} = 1`,
  open: 'g.resolved_at_ms IS NULL',
  resolved: 'g.resolved_at_ms IS NOT NULL',
};

/** The failures seen last first. */
export function listFailureGroups(sql: Sql, query: FailureGroupQuery): FailureGroupRow[] {
  const { instance, state, scenario, assignee, beforeRunId, limit } = query;
  const values: (string | number)[] = [instance];
  const conditions = ['g.instance_id = ?'];
  const add = (condition: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  if (state !== undefined) conditions.push(stateConditions[state]);
  add('g.scenario_id = ?', scenario);
  add('g.assignee = ?', assignee);
  add('g.last_run_id < ?', beforeRunId);
  const statement = `${select} WHERE ${conditions.join(' AND ')} ORDER BY g.last_run_id DESC LIMIT ?`;
  return groupReader.all(sql, statement, ...values, limit);
}

/** What people say about a group; undefined leaves it as it is. */
export type FailureGroupChange = {
  readonly resolved?: { readonly atMs: number; readonly by: string } | null | undefined;
  readonly assignee?: string | null | undefined;
  readonly note?: string | null | undefined;
};

/** False when there is no such group. */
export function changeFailureGroup(sql: Sql, instance: string, id: string, change: FailureGroupChange): boolean {
  const assignments: (readonly [column: string, value: string | number | null])[] = [];
  if (change.resolved !== undefined) {
    assignments.push(['resolved_at_ms', change.resolved?.atMs ?? null], ['resolved_by', change.resolved?.by ?? null]);
    assignments.push(['reopened_run_id', null]);
  }
  if (change.assignee !== undefined) assignments.push(['assignee', change.assignee]);
  if (change.note !== undefined) assignments.push(['note', change.note]);
  if (assignments.length === 0) return findFailureGroup(sql, instance, id) !== undefined;
  const set = assignments.map(([column]) => `${column} = ?`).join(', ');
  const statement = `UPDATE failure_groups SET ${set} WHERE instance_id = ? AND id = ?`;
  return sql.run(statement, ...assignments.map(([, value]) => value), instance, id) === 1;
}
