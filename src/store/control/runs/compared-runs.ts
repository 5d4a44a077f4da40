/** Finished runs of one version of the target, of a branch, or of a period, for comparisons. */
import { type Static, Type } from '@sinclair/typebox';
import type { RunState } from '../../../run/state.ts';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

/** Periods are of the request; `untilMs` is excluded. */
export type ComparedSelection =
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'branch'; readonly branch: string }
  | { readonly kind: 'period'; readonly sinceMs: number; readonly untilMs: number };

export const comparedProperties = {
  id: Type.Integer(),
  scenario_id: Type.String(),
  state: Type.Union([Type.Literal('passed'), Type.Literal('failed')]),
  failure_kind: Type.Union([Type.String(), Type.Null()]),
  failure_group: Type.Union([Type.String(), Type.Null()]),
  duration_ms: Type.Union([Type.Number(), Type.Null()]),
  in_quarantine: Type.Integer(),
};
/** Of `runs r`. */
export const comparedColumns = `r.id, r.scenario_id, r.state, r.failure_kind, r.failure_group, r.duration_ms,
  CASE WHEN r.quarantine IS NULL THEN 0 ELSE 1 END AS in_quarantine`;
const ComparedShape = Type.Object(comparedProperties);
export type ComparedRunRow = Static<typeof ComparedShape>;

const comparedReader = createRowReader(ComparedShape);
const finishedStates = `('passed', 'failed')`;

function toCondition(instance: string, selection: ComparedSelection): readonly [string, readonly (string | number)[]] {
  if (selection.kind === 'version') return ['r.target_version = ?', [selection.version]];
  if (selection.kind === 'period') return ['r.id >= ? AND r.id < ?', [selection.sinceMs, selection.untilMs]];
  return [
    'r.suite_id IN (SELECT s.id FROM suites s WHERE s.instance_id = ? AND s.branch = ?)',
    [instance, selection.branch],
  ];
}

/** Newest first, at most `limit`. */
export function listComparedRuns(
  sql: Sql,
  instance: string,
  selection: ComparedSelection,
  limit: number,
): ComparedRunRow[] {
  const [condition, values] = toCondition(instance, selection);
  const statement = `SELECT ${comparedColumns} FROM runs r
    WHERE r.instance_id = ? AND ${condition} AND r.state IN ${finishedStates} ORDER BY r.id DESC LIMIT ?`;
  return comparedReader.all(sql, statement, instance, ...values, limit);
}

const RenameShape = Type.Object({ scenario_id: Type.String(), renamed_to: Type.String() });
const renameReader = createRowReader(RenameShape);

/** Former ids of scenarios, each with the next id. */
export function listRenames(sql: Sql, instance: string): Map<string, string> {
  const statement = 'SELECT scenario_id, renamed_to FROM scenarios WHERE instance_id = ? AND renamed_to IS NOT NULL';
  return new Map(renameReader.all(sql, statement, instance).map((row) => [row.scenario_id, row.renamed_to]));
}

const VersionShape = Type.Object({
  version: Type.String(),
  first_run_id: Type.Integer(),
  last_run_id: Type.Integer(),
  passed: Type.Integer(),
  failed: Type.Integer(),
});
export type TargetVersionRow = Static<typeof VersionShape>;

const versionReader = createRowReader(VersionShape);

const countState = (state: RunState): string => `sum(CASE WHEN r.state = '${state}' THEN 1 ELSE 0 END) AS ${state}`;
const versionColumns = `r.version, min(r.id) AS first_run_id, max(r.id) AS last_run_id, ${countState('passed')}, ${countState('failed')}`;

/** Versions of the target in the newest `runLimit` runs, the newest first. */
export function listTargetVersions(sql: Sql, instance: string, runLimit: number, limit: number): TargetVersionRow[] {
  const statement = `SELECT ${versionColumns}
    FROM (SELECT id, state, target_version AS version FROM runs WHERE instance_id = ? ORDER BY id DESC LIMIT ?) AS r
    WHERE r.version IS NOT NULL AND r.state IN ${finishedStates}
    GROUP BY r.version ORDER BY max(r.id) DESC LIMIT ?`;
  return versionReader.all(sql, statement, instance, runLimit, limit);
}

const idReader = createRowReader(Type.Object({ id: Type.Integer() }));

/** Of all runs of the instance, ended or not. */
export function findNewestRunId(sql: Sql, instance: string): number | undefined {
  return idReader.first(sql, 'SELECT id FROM runs WHERE instance_id = ? ORDER BY id DESC LIMIT 1', instance)?.id;
}

const nameReader = createRowReader(Type.Object({ version: Type.String() }));
const ofVersions = 'FROM runs r INDEXED BY runs_by_version WHERE r.instance_id = ? AND r.target_version IS NOT NULL';

/**
 * Versions other than `except`, the newest first. Each takes a few steps in the index of versions, whatever number of runs it
 * has.
 */
export function listOtherVersions(sql: Sql, instance: string, except: string, limit: number): string[] {
  const statement = `WITH RECURSIVE names (version) AS (
      SELECT min(r.target_version) ${ofVersions}
      UNION ALL SELECT (SELECT min(r.target_version) ${ofVersions} AND r.target_version > n.version)
        FROM names n WHERE n.version IS NOT NULL)
    SELECT o.version FROM (SELECT n.version, (SELECT max(r.id) ${ofVersions} AND r.target_version = n.version) AS last_run_id
      FROM names n WHERE n.version IS NOT NULL AND n.version <> ?) AS o ORDER BY o.last_run_id DESC LIMIT ?`;
  const rows = nameReader.all(sql, statement, instance, instance, instance, except, limit);
  return rows.map(({ version }) => version);
}

/** The newest `runLimit` finished runs of one version; undefined when it has none. */
export function findTargetVersion(
  sql: Sql,
  instance: string,
  version: string,
  runLimit: number,
): TargetVersionRow | undefined {
  const statement = `SELECT ${versionColumns}
    FROM (SELECT id, state, target_version AS version FROM runs
      WHERE instance_id = ? AND target_version = ? AND state IN ${finishedStates} ORDER BY id DESC LIMIT ?) AS r GROUP BY r.version`;
  return versionReader.first(sql, statement, instance, version, runLimit);
}
