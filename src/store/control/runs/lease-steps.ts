/**
 * The run that an instance leased last, as a part of statements: the condition that finds a run in progress, or where a
 * queue begins, without reading what ended before (schema/counter-steps.ts).
 */

/** Null before the first lease. `instance` is an expression. */
const selectNewestRun = (instance: string): string =>
  `(SELECT l.run_id FROM lease_steps l WHERE l.instance_id = ${instance} ORDER BY l.fence DESC LIMIT 1)`;

/** The run in progress of `instance`, if it has one, in rows of `runs` named `alias`. */
export const isInProgress = (alias: string, instance: string): string =>
  `${alias}.id = ${selectNewestRun(instance)} AND ${alias}.state = 'in_progress'`;

/** The queue of `instance`, in rows of `runs` named `alias`. */
export const isQueued = (alias: string, instance: string): string =>
  `${alias}.instance_id = ${instance} AND ${alias}.state = 'queued' AND ${alias}.id >= coalesce(${selectNewestRun(instance)}, 0)`;

/** The fence of the newest lease; `instances.fence` has leaps, and what versions before these tables gave. `alias` names rows of `instances`. */
export const newestFence = (alias: string): string =>
  `max(${alias}.fence, coalesce((SELECT max(l.fence) FROM lease_steps l WHERE l.instance_id = ${alias}.id), 0))`;
