/** How the runs of an instance went over time, for charts: GET /api/v1/instances/{instance}/statistics. */
import { type Static, Type } from '@sinclair/typebox';
import { Moment, nullable } from './words.ts';

const Count = Type.Integer({ minimum: 0 });
const Millis = nullable(Type.Number());

const figures = {
  passed: Count,
  failed: Count,
  /** Failed runs whose target gave no answer that could be judged. */
  not_judged: Count,
  cancelled: Count,
  /** Of the runs that have a duration; null without one. */
  p50_ms: Millis,
  p95_ms: Millis,
};

/** A stretch of time; the next one begins where it ends. */
export const StatisticsBucket = Type.Object({ start: Moment, ...figures });
/** See {@link StatisticsBucket}. */
export type StatisticsBucket = Static<typeof StatisticsBucket>;

/** Ended runs that were requested since then, by the moment of the request. */
export const Statistics = Type.Object({
  since: Moment,
  until: Moment,
  bucket_ms: Type.Integer({ minimum: 1 }),
  /** False when there are more runs than are looked at: the oldest are left out, and `covered_since` says from where. */
  complete: Type.Boolean(),
  covered_since: Moment,
  totals: Type.Object(figures),
  /** Oldest first, without a gap; empty stretches have zeros. */
  buckets: Type.Array(StatisticsBucket),
});
/** See {@link Statistics}. */
export type Statistics = Static<typeof Statistics>;
