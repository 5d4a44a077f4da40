/** Requests for several scenarios: rows, and what became of their runs. */
import { type Static, Type } from '@sinclair/typebox';
import { runStates } from '../../../run/state.ts';
import { createRowReader } from '../../row-reader.ts';
import { createRowInserter, formatColumns } from '../../row-writer.ts';
import type { Sql } from '../../sql.ts';
import { isReplaced } from '../runs/runs.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const nullableText = Type.Union([Type.String(), Type.Null()]);

const SuiteShape = Type.Object({
  id: Type.Integer(),
  instance_id: Type.String(),
  name: nullableText,
  key: nullableText,
  plan: nullableText,
  expected_runs: Type.Integer(),
  rerun_of: nullableInteger,
  schedule_id: nullableText,
  requested_by: Type.String(),
  requested_at_ms: Type.Integer(),
  target_version: nullableText,
  branch: nullableText,
  commit_id: nullableText,
  author: nullableText,
  ci_job: nullableText,
  ci_url: nullableText,
});
/** `plan` is JSON. */
export type SuiteRow = Static<typeof SuiteShape>;

const reader = createRowReader(SuiteShape);
const select = `SELECT ${formatColumns(SuiteShape)} FROM suites`;

export const insertSuite = createRowInserter('suites', SuiteShape);

export function findSuite(sql: Sql, instance: string, id: number): SuiteRow | undefined {
  return reader.first(sql, `${select} WHERE instance_id = ? AND id = ?`, instance, id);
}

export function findSuiteByKey(sql: Sql, instance: string, key: string): SuiteRow | undefined {
  return reader.first(sql, `${select} WHERE instance_id = ? AND key = ?`, instance, key);
}

/** The newest suite that ran those of `id` again. */
export function findNewestRerun(sql: Sql, id: number): SuiteRow | undefined {
  return reader.first(sql, `${select} WHERE rerun_of = ? ORDER BY id DESC LIMIT 1`, id);
}

/** All conditions must hold; `beforeId` is where an earlier page ended. */
export type SuiteQuery = {
  readonly instance: string;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  readonly schedule?: string | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
};

/** The newest first. */
export function listSuites(sql: Sql, query: SuiteQuery): SuiteRow[] {
  const conditions: (readonly [string, string | number | undefined])[] = [
    ['instance_id = ?', query.instance],
    ['branch = ?', query.branch],
    ['commit_id = ?', query.commit],
    ['schedule_id = ?', query.schedule],
    ['id < ?', query.beforeId],
  ];
  const used = conditions.flatMap(([text, value]) => (value === undefined ? [] : [[text, value] as const]));
  const where = used.map(([text]) => text).join(' AND ');
  const statement = `${select} WHERE ${where} ORDER BY id DESC LIMIT ?`;
  return reader.all(sql, statement, ...used.map(([, value]) => value), query.limit);
}

/** What counts: a run that another one has replaced does not. */
const isCurrent = `NOT ${isReplaced('r')}`;

const StateShape = Type.Union(runStates.map((state) => Type.Literal(state)));

const countReader = createRowReader(
  Type.Object({
    suite_id: Type.Integer(),
    state: StateShape,
    failure_kind: nullableText,
    in_quarantine: Type.Integer(),
    runs: Type.Integer(),
    flaky: Type.Integer(),
    finished_at_ms: nullableInteger,
  }),
);
/** The current runs of a suite with one result; `flaky`: how many of them replaced a failed run. */
export type SuiteCountRow = ReturnType<typeof countReader.all>[number];

export function countSuiteRuns(sql: Sql, ids: readonly number[]): SuiteCountRow[] {
  if (ids.length === 0) return [];
  const placeholders = ids.map(() => '?').join(', ');
  return countReader.all(
    sql,
    `SELECT r.suite_id, r.state, r.failure_kind, CASE WHEN r.quarantine IS NULL THEN 0 ELSE 1 END AS in_quarantine,
       count(*) AS runs, count(CASE WHEN p.state = 'failed' THEN 1 END) AS flaky,
       max(r.finished_at_ms) AS finished_at_ms
     FROM runs r LEFT JOIN runs p ON p.id = r.retry_of WHERE r.suite_id IN (${placeholders}) AND r.suite_id IS NOT NULL AND ${isCurrent}
     GROUP BY r.suite_id, r.state, r.failure_kind, CASE WHEN r.quarantine IS NULL THEN 0 ELSE 1 END`,
    ...ids,
  );
}

const currentReader = createRowReader(
  Type.Object({
    id: Type.Integer(),
    scenario_id: Type.String(),
    revision_id: Type.Integer(),
    revision: nullableInteger,
    state: StateShape,
    in_quarantine: Type.Integer(),
  }),
);

/** The current runs of a suite in the order of their requests. */
export function listCurrentSuiteRuns(sql: Sql, suite: number) {
  return currentReader.all(
    sql,
    `SELECT r.id, r.scenario_id, r.revision_id, v.revision, r.state,
       CASE WHEN r.quarantine IS NULL THEN 0 ELSE 1 END AS in_quarantine FROM runs r JOIN revisions v ON v.id = r.revision_id
     WHERE r.suite_id = ? AND r.suite_id IS NOT NULL AND ${isCurrent} ORDER BY r.id`,
    suite,
  );
}

const durationReader = createRowReader(
  Type.Object({ scenario_id: Type.String(), started_at_ms: Type.Integer(), finished_at_ms: Type.Integer() }),
);

/** How long the newest runs of an instance took; `limit` bounds the cost. */
export function listRunDurations(sql: Sql, instance: string, limit: number) {
  return durationReader.all(
    sql,
    `SELECT scenario_id, started_at_ms, finished_at_ms FROM runs
     WHERE instance_id = ? AND state IN ('passed', 'failed') AND started_at_ms IS NOT NULL AND finished_at_ms IS NOT NULL
     ORDER BY id DESC LIMIT ?`,
    instance,
    limit,
  );
}
