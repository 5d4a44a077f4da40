/** What ended since a result was computed, so that it is brought up to date instead of computed again. */
import {
  type EndedPosition,
  type EndedSinceRow,
  findEndedPosition,
  isPositionInStore,
  listEndedSince,
} from '../../store/control/runs/ended-since.ts';
import { findGroupingPosition } from '../../store/control/runs/failure-runs.ts';
import type { Sql } from '../../store/sql.ts';
import { requireInstance } from '../instances/instances.ts';

/** With more runs than this, results are computed again. */
const maxEndedRuns = 2_000;

/** The state of the store from which a result was computed. */
export type ResultBasis = {
  /** When the instance was registered: another one may have its id later. */
  readonly createdAtMs: number;
  /** Undefined where the result must not be kept. */
  readonly position: EndedPosition | undefined;
};

/** To be read before the result: what ends in between is then seen as having ended afterwards. Throws INSTANCE_UNKNOWN. */
export function readBasis(sql: Sql, instance: string): ResultBasis {
  const { created_at_ms: createdAtMs } = requireInstance(sql, instance);
  // While runs of earlier versions get their failures, they change without a commit of their own.
  const isChanging = findGroupingPosition(sql) !== undefined;
  return { createdAtMs, position: isChanging ? undefined : findEndedPosition(sql) };
}

/** Runs of the instance that ended since `before`; undefined where they are not known, or too many. */
export function listNewlyEnded(
  sql: Sql,
  instance: string,
  before: ResultBasis,
  now: ResultBasis,
): EndedSinceRow[] | undefined {
  const { position } = before;
  if (!position || !now.position || before.createdAtMs !== now.createdAtMs) return undefined;
  if (position.seq === now.position.seq && position.id === now.position.id) return [];
  if (!isPositionInStore(sql, position)) return undefined;
  const ended = listEndedSince(sql, position, maxEndedRuns);
  return ended.length === maxEndedRuns ? undefined : ended.filter((row) => row.instance_id === instance);
}
