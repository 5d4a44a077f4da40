/** Results of an instance's runs over time: GET /api/v1/instances/{instance}/statistics. */
import { type Static, Type } from '@sinclair/typebox';
import { runOutcomes } from '../run/state.ts';
import { nullable, Timestamp } from './schemas.ts';

const Count = Type.Integer({ minimum: 0 });
const Millis = nullable(Type.Number());

const figures = {
  passed: Count,
  failed: Count,
  /** Failed runs without a response that could be judged. */
  not_judged: Count,
  cancelled: Count,
  /** Percentiles over runs with a duration; null without any. */
  p50_ms: Millis,
  p95_ms: Millis,
};

/** Counts runs with this outcome only. */
export const StatisticsOutcome = Type.Union(runOutcomes.map((outcome) => Type.Literal(outcome)));

/** A period of `bucket_ms`; the next one starts where it ends. */
export const StatisticsBucket = Type.Object({ start: Timestamp, ...figures });
export type StatisticsBucket = Static<typeof StatisticsBucket>;

/** Finished runs, by the time of their request. */
export const Statistics = Type.Object({
  since: Timestamp,
  until: Timestamp,
  bucket_ms: Type.Integer({ minimum: 1 }),
  /** False when there are more runs than are evaluated: the oldest are omitted, and `covered_since` is the start of the rest. */
  complete: Type.Boolean(),
  covered_since: Timestamp,
  totals: Type.Object(figures),
  /** Oldest first, without gaps; empty periods have zeros. */
  buckets: Type.Array(StatisticsBucket),
});
export type Statistics = Static<typeof Statistics>;
