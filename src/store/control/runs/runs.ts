/** Queries on runs: one, a page, changes. */
import { type Static, Type } from '@sinclair/typebox';
import { isFinalState, type RunState, runStates } from '../../../run/state.ts';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import { isInProgress, isQueued } from './lease-steps.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const nullableText = Type.Union([Type.String(), Type.Null()]);

const RunShape = Type.Object({
  id: Type.Integer(),
  instance_id: Type.String(),
  scenario_id: Type.String(),
  title: Type.String(),
  revision: nullableInteger,
  correlation_id: Type.String(),
  state: Type.Union(runStates.map((state) => Type.Literal(state))),
  origin: Type.Union([Type.Literal('queue'), Type.Literal('direct'), Type.Literal('local')]),
  requested_by: Type.String(),
  requested_at_ms: Type.Integer(),
  leased_at_ms: nullableInteger,
  started_at_ms: nullableInteger,
  finished_at_ms: nullableInteger,
  cancel_requested: Type.Integer(),
  fence: nullableInteger,
  ahead: Type.Integer(),
  failure_kind: nullableText,
  failure_message: nullableText,
  failure_summary: nullableText,
  observed_status: nullableInteger,
  assertions_enforced_count: nullableInteger,
  evidence_assertions_count: nullableInteger,
  duration_ms: Type.Union([Type.Number(), Type.Null()]),
  evidence_ms: Type.Union([Type.Number(), Type.Null()]),
  target_process: nullableText,
  target_version: nullableText,
  failure_group: nullableText,
  quarantine: nullableText,
  schedule_id: nullableText,
  owner: nullableText,
  links: nullableText,
  suite_id: nullableInteger,
  retry_of: nullableInteger,
  branch: nullableText,
  commit_id: nullableText,
  author: nullableText,
  ci_job: nullableText,
  ci_url: nullableText,
  report_expired: Type.Integer(),
  seq: Type.Integer(),
});
/** A row of `runs`; `id` is the time of the request, `ahead` the number of runs before a queued one. */
export type RunRow = Static<typeof RunShape>;

export const runReader = createRowReader(RunShape);

const columns = `SELECT r.id, r.instance_id, r.scenario_id, v.title, v.revision, r.correlation_id, r.state, r.origin,
  r.requested_by, r.requested_at_ms, r.leased_at_ms, r.started_at_ms, r.finished_at_ms, r.cancel_requested, r.fence, r.failure_kind,
  r.failure_message, r.failure_summary, r.observed_status, r.assertions_enforced_count, r.evidence_assertions_count,
  r.duration_ms, r.evidence_ms,
  r.target_process, r.target_version, r.failure_group, r.quarantine, r.schedule_id, r.suite_id, r.retry_of, v.owner, v.links, u.branch, u.commit_id,
  u.author, u.ci_job, u.ci_url, r.report_expired, r.seq,`;
const joinOthers = 'JOIN revisions v ON v.id = r.revision_id LEFT JOIN suites u ON u.id = r.suite_id';
const joined = `FROM runs r ${joinOthers}`;
/** The columns of a row, from `runs r`, `revisions v` and `suites u`. */
export const runColumns = `${columns}
  CASE r.state WHEN 'queued' THEN
    (SELECT count(*) FROM runs q WHERE ${isQueued('q', 'r.instance_id')} AND q.id < r.id)
    + (SELECT count(*) FROM runs q WHERE ${isInProgress('q', 'r.instance_id')})
  ELSE 0 END AS ahead`;
const select = `${runColumns} ${joined}`;

export function findRun(sql: Sql, id: number): RunRow | undefined {
  return runReader.first(sql, `${select} WHERE r.id = ?`, id);
}

const StoredTextsShape = Type.Object({
  ...{ report: nullableText, body: nullableText, late_report: nullableText },
  text: Type.String(),
});
const documentReader = createRowReader(Type.Composite([RunShape, StoredTextsShape]));
/** A run, its reports as they are stored (`findReport`, `findLateReport`), and the text of its scenario, which is empty when it has expired. */
export type RunDocumentRow = RunRow & Static<typeof StoredTextsShape>;

const joinedTexts = `p.report, b.body, l.report AS late_report, v.text ${joined}
  LEFT JOIN reports p ON p.run_id = r.id LEFT JOIN bodies b ON b.run_id = p.run_id
  LEFT JOIN late_reports l ON l.run_id = r.id AND l.instance_id = r.instance_id AND l.correlation_id = r.correlation_id
  WHERE r.id = ?`;
const selectDocument = `${runColumns}, ${joinedTexts}`;
/** PostgreSQL prepares for the counts of a queue in each execution, also where it needs none. */
const selectEndedDocument = `${columns} 0 AS ahead, ${joinedTexts} AND r.state IN ('passed', 'failed', 'cancelled')`;

/** All in one statement, which on PostgreSQL needs no transaction around it. */
export function findRunDocument(sql: Sql, id: number): RunDocumentRow | undefined {
  return documentReader.first(sql, selectDocument, id);
}

/** The same for a run that has ended; undefined for others. */
export function findEndedRunDocument(sql: Sql, id: number): RunDocumentRow | undefined {
  return documentReader.first(sql, selectEndedDocument, id);
}

/** Runs that were queued one after another just now: the position of the first is counted, the others follow it. */
export function findQueuedRuns(sql: Sql, ids: readonly number[]): RunRow[] {
  const [first, ...followingIds] = ids;
  const last = ids.at(-1);
  if (first === undefined || last === undefined) return [];
  const row = findRun(sql, first);
  if (!row || followingIds.length === 0) return row ? [row] : [];
  // Runs that came directly from an executor may be between them.
  const statement = `${columns} 0 AS ahead ${joined} WHERE r.id > ? AND r.id <= ? AND r.instance_id = ? ORDER BY r.id`;
  const queued = new Set(ids);
  const followers = runReader.all(sql, statement, first, last, row.instance_id).filter(({ id }) => queued.has(id));
  return [row, ...followers.map((other, index) => ({ ...other, ahead: row.ahead + index + 1 }))];
}

/** All conditions must hold; `beforeId` is where an earlier page ended. */
export type RunQuery = {
  readonly instance?: string | undefined;
  readonly suite?: number | undefined;
  /** The scenario's ids, present and former; undefined for runs of every scenario. */
  readonly scenarios: readonly (string | undefined)[];
  readonly states?: readonly RunState[] | undefined;
  /** False: only failures without a response to judge. True: all other runs. */
  readonly judged?: boolean | undefined;
  /** False: only runs that no later one of their suite has replaced. True: only those that one has. */
  readonly replaced?: boolean | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
};

/** Failures of checks on the target's response; must equal the condition of the index runs_not_judged. */
const judgedKinds = `('status_mismatch', 'body_mismatch', 'evidence_mismatch')`;
export const judgedCondition = `(r.failure_kind IS NULL OR r.failure_kind IN ${judgedKinds})`;
export const notJudgedCondition = `r.failure_kind NOT IN ${judgedKinds}`;

/** Whether another run of its suite counts in its place, in rows of `runs` named `alias`. */
export function isReplaced(alias: string): string {
  return `EXISTS (SELECT 1 FROM runs n WHERE n.retry_of = ${alias}.id AND n.retry_of IS NOT NULL)`;
}

export type Condition = readonly [sql: string, values: readonly (string | number)[]];

/** Conditions match the indexes: the time of the request is the id. */
function buildConditions(query: RunQuery, states: readonly RunState[], scenario: string | undefined): Condition[] {
  const conditions: Condition[] = [];
  if (query.instance !== undefined) conditions.push(['r.instance_id = ?', [query.instance]]);
  if (query.suite !== undefined) conditions.push(['r.suite_id = ?', [query.suite]]);
  if (scenario !== undefined) conditions.push(['r.scenario_id = ?', [scenario]]);
  if (query.sinceMs !== undefined) conditions.push(['r.id >= ?', [query.sinceMs]]);
  if (query.untilMs !== undefined) conditions.push(['r.id < ?', [query.untilMs]]);
  if (query.beforeId !== undefined) conditions.push(['r.id < ?', [query.beforeId]]);
  // Literals, not parameters, so that SQLite can use the state's partial index.
  const [state] = states;
  if (states.length > 1) conditions.push([`r.state IN (${states.map((name) => `'${name}'`).join(', ')})`, []]);
  else if (state !== undefined) conditions.push([`r.state = '${state}'`, []]);
  if (query.judged !== undefined) conditions.push([query.judged ? judgedCondition : notJudgedCondition, []]);
  if (query.replaced !== undefined) conditions.push([`${query.replaced ? '' : 'NOT '}${isReplaced('r')}`, []]);
  return conditions;
}

const finalStates = runStates.filter(isFinalState);

/** Of states that few runs have. */
export const stateIndexes: Readonly<Record<string, string>> = {
  failed: 'runs_failed',
  cancelled: 'runs_cancelled',
  queued: 'runs_queued',
  in_progress: 'runs_one_in_progress',
};

/**
 * Named, because SQLite has no statistics of a store and took the index of all runs of the instance: before a million runs a page
 * of the empty queue read every one of them.
 */
function chooseIndex(query: RunQuery, state: RunState, scenario: string | undefined): string | undefined {
  if (query.instance === undefined || query.suite !== undefined) return undefined;
  if (scenario !== undefined && isFinalState(state)) return `runs_${state}_by_scenario`;
  return state === 'failed' && query.judged === false ? 'runs_not_judged' : stateIndexes[state];
}

/** How the final states of a whole instance are read: together, by the index of all of its runs. */
function readsFinalTogether({ instance, suite }: RunQuery, scenario: string | undefined): boolean {
  return instance !== undefined && suite === undefined && scenario === undefined;
}

/**
 * A page of runs, newest first. Several states or ids are several queries, each on its own index: one query would scan the
 * table. The three final states of an instance are one query, because nearly all of its runs have one of them.
 */
export function listRuns(sql: Sql, query: RunQuery): RunRow[] {
  const states = new Set(query.states);
  const rows = query.scenarios.flatMap((scenario) => {
    if (states.size === 0) return listRunsInStates(sql, query, [], scenario);
    if (finalStates.every((state) => states.has(state)) && readsFinalTogether(query, scenario)) {
      const others = [...states].filter((state) => !isFinalState(state));
      const parts = [finalStates, ...others.map((state) => [state])];
      return parts.flatMap((part) => listRunsInStates(sql, query, part, scenario));
    }
    return [...states].flatMap((state) => listRunsInStates(sql, query, [state], scenario));
  });
  return rows.sort((a, b) => b.id - a.id).slice(0, query.limit);
}

function listRunsInStates(
  sql: Sql,
  query: RunQuery,
  states: readonly RunState[],
  scenario: string | undefined,
): RunRow[] {
  const [state] = states;
  const index = state === undefined || states.length > 1 ? undefined : chooseIndex(query, state, scenario);
  const conditions = buildConditions(query, states, scenario);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([text]) => text).join(' AND ')}`;
  const from = index === undefined ? 'FROM runs r' : `FROM runs r INDEXED BY ${index}`;
  const statement = `${runColumns} ${from} ${joinOthers} ${where} ORDER BY r.id DESC LIMIT ?`;
  return runReader.all(sql, statement, ...conditions.flatMap(([, values]) => values), query.limit);
}

/** Oldest change first. */
export function listChangedRuns(sql: Sql, seq: number, instance: string | undefined, limit: number): RunRow[] {
  const scope = instance === undefined ? '' : 'AND r.instance_id = ?';
  const statement = `${select} WHERE r.seq > ? ${scope} ORDER BY r.seq LIMIT ?`;
  return runReader.all(sql, statement, seq, ...(instance === undefined ? [] : [instance]), limit);
}

const textReader = createRowReader(Type.Object({ text: Type.String() }));

/** The scenario text of a run; undefined when it has expired. */
export function findRunText(sql: Sql, id: number): string | undefined {
  const statement = 'SELECT v.text AS text FROM runs r JOIN revisions v ON v.id = r.revision_id WHERE r.id = ?';
  return textReader.first(sql, statement, id)?.text || undefined;
}

const removedReader = createRowReader(Type.Object({ seq: Type.Integer(), id: Type.String() }));

/** Instances removed after `seq`. */
export function listRemovedInstances(sql: Sql, seq: number): { seq: number; id: string }[] {
  return removedReader.all(sql, 'SELECT seq, id FROM gone_instances WHERE seq > ? ORDER BY seq', seq);
}
