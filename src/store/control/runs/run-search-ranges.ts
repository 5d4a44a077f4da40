/** Which entries of which indexes a search for runs examines: those of the condition that the fewest runs satisfy. */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import {
  buildScenarioConditions,
  buildScenarioTextConditions,
  buildSourceConditions,
  padToLength,
  type RunSearch,
} from './run-search-terms.ts';
import { type Condition, stateIndexes } from './runs.ts';

/** Entries of one index; `index` is undefined for the table itself. */
export type RunRange = { readonly index: string | undefined; readonly condition: Condition };
/** Times of requests, both inclusive. */
export type IdBounds = { readonly firstId: number; readonly lastId: number };

const countReader = createRowReader(Type.Object({ count: Type.Integer() }));
const idReader = createRowReader(Type.Object({ id: Type.Integer() }));
const scenarioReader = createRowReader(Type.Object({ scenario_id: Type.String() }));

/** More ranges than these cost more to merge than they save. */
const maxRanges = 16;
const rangeLengths = [1, 4, maxRanges];

/** The ids of runs in any of the ranges, newest first; the values end with the limit. */
export function buildIdSelection(ranges: readonly RunRange[], { firstId, lastId }: IdBounds, limit: number): Condition {
  const padded = padToLength(ranges, rangeLengths);
  const parts = padded.map(({ index, condition: [text, values] }): Condition => {
    const source = index === undefined ? 'runs r' : `runs r INDEXED BY ${index}`;
    const where = `WHERE ${text} AND r.id >= ? AND r.id <= ?`;
    return [`SELECT r.id FROM ${source} ${where} ORDER BY r.id DESC LIMIT ?`, [...values, firstId, lastId, limit]];
  });
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const union = parts.map(([text], index) => `SELECT p${index}.id FROM (${text}) AS p${index}`).join(' UNION ');
  return [
    `SELECT a.id FROM (${union}) AS a ORDER BY a.id DESC LIMIT ?`,
    [...parts.flatMap(([, values]) => values), limit],
  ];
}

function toScenarioRanges(scenarios: readonly string[]): RunRange[] {
  return scenarios.map((id) => ({ index: 'runs_by_scenario', condition: ['r.scenario_id = ?', [id]] }));
}

const failedRange = (instance: string): RunRange => ({
  index: 'runs_failed',
  condition: ["r.instance_id = ? AND r.state = 'failed'", [instance]],
});

/** Of the states that few runs have; undefined when one of them has no index. */
function toStateRanges(instance: string, states: readonly string[]): RunRange[] | undefined {
  const ranges = states.flatMap((state): RunRange[] => {
    const index = stateIndexes[state];
    return index === undefined
      ? []
      : [{ index, condition: [`r.instance_id = ? AND r.state = '${state}'`, [instance]] }];
  });
  return ranges.length > 0 && ranges.length === states.length ? ranges : undefined;
}

/** Scenarios of which a revision satisfies the conditions; undefined when they are many. */
function findScenarios(sql: Sql, instance: string, conditions: readonly Condition[]): string[] | undefined {
  const where = ['v.instance_id = ?', ...conditions.map(([text]) => text)].join(' AND ');
  const statement = `SELECT DISTINCT v.scenario_id FROM revisions v WHERE ${where} LIMIT ?`;
  const values = conditions.flatMap(([, parameters]) => parameters);
  const rows = scenarioReader.all(sql, statement, instance, ...values, maxRanges + 1);
  return rows.length > maxRanges ? undefined : rows.map(({ scenario_id }) => scenario_id);
}

/** A text stands in the scenario or in what failed: runs of scenarios that have all texts, and failed runs. */
function findTextRanges(sql: Sql, instance: string, search: RunSearch): RunRange[] | undefined {
  const scenarios = findScenarios(sql, instance, [
    ...buildScenarioConditions(search),
    ...buildScenarioTextConditions(search),
  ]);
  if (!scenarios || scenarios.length === maxRanges) return undefined;
  const { states = [] } = search;
  const canHaveFailed = states.length === 0 || states.includes('failed');
  return [...toScenarioRanges(scenarios), ...(canHaveFailed ? [failedRange(instance)] : [])];
}

function findSuiteRanges(sql: Sql, instance: string, search: RunSearch): RunRange[] | undefined {
  const conditions = buildSourceConditions(search);
  const where = ['u.instance_id = ?', ...conditions.map(([text]) => text)].join(' AND ');
  const statement = `SELECT u.id FROM suites u WHERE ${where} ORDER BY u.id DESC LIMIT ?`;
  const rows = idReader.all(sql, statement, instance, ...conditions.flatMap(([, values]) => values), maxRanges + 1);
  return rows.length > maxRanges ? undefined : rows.map(({ id }) => toSuiteRange(id));
}

const toSuiteRange = (suite: number): RunRange => ({
  index: 'runs_by_suite',
  condition: ['r.suite_id = ? AND r.suite_id IS NOT NULL', [suite]],
});

function listInstanceCandidates(sql: Sql, instance: string, search: RunSearch): (RunRange[] | undefined)[] {
  const { failureGroup, targetVersion, branch, commit, texts, path, tags, owner, states = [] } = search;
  const ofInstance = (index: string, column: string, value: string | undefined): RunRange[] | undefined =>
    value === undefined
      ? undefined
      : [{ index, condition: [`r.instance_id = ? AND ${column} = ? AND ${column} IS NOT NULL`, [instance, value]] }];
  const hasScenarioTerm = path !== undefined || owner !== undefined || tags.length > 0;
  const isFromSource = branch !== undefined || commit !== undefined;
  const scenarios = hasScenarioTerm ? findScenarios(sql, instance, buildScenarioConditions(search)) : undefined;
  return [
    ofInstance('runs_by_failure_group', 'r.failure_group', failureGroup),
    ofInstance('runs_by_version', 'r.target_version', targetVersion),
    isFromSource ? findSuiteRanges(sql, instance, search) : undefined,
    scenarios && toScenarioRanges(scenarios),
    texts.length === 0 ? undefined : findTextRanges(sql, instance, search),
    toStateRanges(instance, states),
  ];
}

/** Up to `max`. */
function countEntries(sql: Sql, ranges: readonly RunRange[], bounds: IdBounds, max: number): number {
  if (ranges.length === 0) return 0;
  const [selection, values] = buildIdSelection(ranges, bounds, max);
  const row = countReader.first(sql, `SELECT count(*) AS count FROM (${selection}) AS examined`, ...values);
  return row?.count ?? 0;
}

/** Empty when no run can match. A count above `max` is not distinguished. */
export function chooseRanges(sql: Sql, search: RunSearch, bounds: IdBounds, max: number): readonly RunRange[] {
  const { instance, suite, scenarios } = search;
  const all = [
    suite === undefined ? undefined : [toSuiteRange(suite)],
    scenarios.length === 0 || scenarios.length > maxRanges ? undefined : toScenarioRanges(scenarios),
    ...(instance === undefined ? [] : listInstanceCandidates(sql, instance, search)),
  ];
  const candidates = all.filter((ranges) => ranges !== undefined);
  const [first] = candidates;
  if (!first && instance === undefined) return [{ index: undefined, condition: ['1 = 1', []] }];
  if (!first) return [{ index: 'runs_by_instance', condition: ['r.instance_id = ?', [instance ?? '']] }];
  if (candidates.length === 1) return first;
  const counted = candidates.map((ranges) => ({ ranges, count: countEntries(sql, ranges, bounds, max) }));
  return counted.reduce((least, candidate) => (candidate.count < least.count ? candidate : least)).ranges;
}
