/** Runs that ended, in the order in which they did, for what changed with each. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

const EndedRunShape = Type.Object({
  id: Type.Integer(),
  instance_id: Type.String(),
  scenario_id: Type.String(),
  revision_id: Type.Integer(),
  state: Type.Union([Type.Literal('passed'), Type.Literal('failed')]),
  failure_kind: nullableText,
  failure_message: nullableText,
  failure_summary: nullableText,
  target_version: nullableText,
  quarantine: nullableText,
  finished_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  requested_at_ms: Type.Integer(),
  tags: Type.String(),
  owner: nullableText,
  seq: Type.Integer(),
});
/** `tags` (a JSON array) and `owner` are those of the scenario as it ran. */
export type EndedRunRow = Static<typeof EndedRunShape>;

const reader = createRowReader(EndedRunShape);
const columns = Object.keys(EndedRunShape.properties).map((name) =>
  name === 'tags' || name === 'owner' ? `v.${name}` : `r.${name}`,
);
const select = `SELECT ${columns.join(', ')} FROM runs r JOIN revisions v ON v.id = r.revision_id`;

/** Those that ended after the commit `seq`. */
export function listEndedRuns(sql: Sql, seq: number, limit: number): EndedRunRow[] {
  const statement = `${select} WHERE r.seq > ? AND r.state IN ('passed', 'failed') ORDER BY r.seq LIMIT ?`;
  return reader.all(sql, statement, seq, limit);
}

const ResultShape = Type.Pick(EndedRunShape, [
  'id',
  'seq',
  'state',
  'failure_kind',
  'target_version',
  'revision_id',
  'quarantine',
]);
export type EndedResultRow = Static<typeof ResultShape>;
const resultReader = createRowReader(ResultShape);

/** The newest results of a scenario under all its ids that were there when `run` ended, with its own; by their end. */
export function listResultsUntil(
  sql: Sql,
  run: Pick<EndedRunRow, 'instance_id' | 'seq'>,
  scenarioIds: readonly string[],
  { sinceMs, limit }: { readonly sinceMs: number; readonly limit: number },
): EndedResultRow[] {
  const statement = `SELECT id, seq, state, failure_kind, target_version, revision_id, quarantine FROM runs
    WHERE scenario_id = ? AND instance_id = ? AND state IN ('passed', 'failed') AND id >= ? AND seq <= ?
    ORDER BY id DESC LIMIT ?`;
  return scenarioIds
    .flatMap((id) => resultReader.all(sql, statement, id, run.instance_id, sinceMs, run.seq, limit))
    .sort((a, b) => b.id - a.id)
    .slice(0, limit)
    .sort((a, b) => a.seq - b.seq);
}

const kindReader = createRowReader(Type.Object({ failure_kind: nullableText }));

/** Whether the run of the instance before this one lost its executor too. */
export function wasLostBefore(sql: Sql, { instance_id: instance, id, seq }: EndedRunRow): boolean {
  const statement = `SELECT failure_kind FROM runs WHERE instance_id = ? AND state IN ('passed', 'failed') AND id < ?
    AND seq < ? ORDER BY id DESC LIMIT 1`;
  return kindReader.first(sql, statement, instance, id, seq)?.failure_kind === 'executor_lost';
}

const waitingReader = createRowReader(Type.Object({ id: Type.Integer(), count: Type.Integer() }));

/** The oldest run that waits in the queue of an instance, and how many do; undefined when none does. */
export function findWaitingRuns(sql: Sql, instance: string): { id: number; count: number } | undefined {
  const statement = `SELECT coalesce(min(id), 0) AS id, count(*) AS count FROM runs
    WHERE instance_id = ? AND state = 'queued'`;
  const row = waitingReader.first(sql, statement, instance);
  return row && row.count > 0 ? row : undefined;
}
