/** Runs that ended since a position, in all instances: what a result in memory has to be brought up to date with. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import { comparedColumns, comparedProperties } from './compared-runs.ts';

/** The run that ended last, with its commit: all runs that ended before have lower ones. */
const PositionShape = Type.Object({ id: Type.Integer(), seq: Type.Integer() });
export type EndedPosition = Static<typeof PositionShape>;

const positionReader = createRowReader(PositionShape);
/** Runs that changed later and have not ended, such as those of a long queue. */
const maxOpenRuns = 2_000;

/** Undefined where no run has ended, or where a long queue hides the last one. */
export function findEndedPosition(sql: Sql): EndedPosition | undefined {
  const statement = `SELECT n.id, n.seq FROM (SELECT id, seq, state FROM runs ORDER BY seq DESC LIMIT ?) AS n
    WHERE n.state IN ('passed', 'failed') ORDER BY n.seq DESC LIMIT 1`;
  return positionReader.first(sql, statement, maxOpenRuns);
}

/** A store that went back does not have the run with that commit. */
export function isPositionInStore(sql: Sql, { id, seq }: EndedPosition): boolean {
  return positionReader.first(sql, 'SELECT id, seq FROM runs WHERE id = ?', id)?.seq === seq;
}

const EndedShape = Type.Object({
  ...comparedProperties,
  instance_id: Type.String(),
  target_version: Type.Union([Type.String(), Type.Null()]),
  branch: Type.Union([Type.String(), Type.Null()]),
});
/** `branch` is that of its suite. */
export type EndedSinceRow = Static<typeof EndedShape>;

const endedReader = createRowReader(EndedShape);

/** In the order of their commits. */
export function listEndedSince(sql: Sql, { seq }: EndedPosition, limit: number): EndedSinceRow[] {
  const statement = `SELECT ${comparedColumns}, r.instance_id, r.target_version, u.branch
    FROM runs r INDEXED BY runs_by_seq LEFT JOIN suites u ON u.id = r.suite_id
    WHERE r.seq > ? AND r.state IN ('passed', 'failed') ORDER BY r.seq LIMIT ?`;
  return endedReader.all(sql, statement, seq, limit);
}
