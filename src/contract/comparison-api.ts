/** What changed between two versions of the target, two branches or two periods: /api/v1/instances/{instance}/comparison. */
import { type Static, Type } from '@sinclair/typebox';
import { comparisonChanges } from '../insight/comparison.ts';
import { speedChanges } from '../insight/speed.ts';
import { FailureId, nullable, RunIdSchema, ScenarioId, TargetVersion, Timestamp } from './schemas.ts';

const Count = Type.Integer({ minimum: 0 });
const Millis = nullable(Type.Number());
const Speed = Type.Union(speedChanges.map((change) => Type.Literal(change)));
const Change = Type.Union(comparisonChanges.map((change) => Type.Literal(change)));

/** The runs of a scenario on one side; percentiles (nearest rank) are those of passed runs. */
const ScenarioSide = Type.Object({
  passed: Count,
  failed: Count,
  not_judged: Count,
  p50_ms: Millis,
  p95_ms: Millis,
  newest_run: RunIdSchema,
  failures: Type.Array(FailureId),
});

export const ComparedScenario = Type.Object({
  scenario_id: ScenarioId,
  /** `flaky`: one side passed and failed. `not_judged`: one side has no run that could be judged. */
  change: Change,
  /** True where head fails more often than chance explains (Fisher's exact test with Holm's correction over all scenarios, p < 0.01). */
  fails_more_often: Type.Boolean(),
  /** The 95th percentile of passed runs: exact exceedance test, Holm's correction over all scenarios, p < 0.01, and at least 10% and 1 ms. */
  speed: Speed,
  /** Null where fewer than eight runs passed on a side. */
  speed_p: nullable(Type.Number()),
  /** The median of passed runs: Mann-Whitney U test, with the same correction and limits. */
  median_speed: Speed,
  median_p: nullable(Type.Number()),
  /** Null where it did not run. */
  base: nullable(ScenarioSide),
  head: nullable(ScenarioSide),
  /** Failures that only head has. */
  new_failures: Type.Array(FailureId),
  /** True where head has failures and all of them were in quarantine: they do not count. */
  quarantined: Type.Boolean(),
});
export type ComparedScenario = Static<typeof ComparedScenario>;

/** `complete`: false where there are more runs than the 20,000 newest, which are compared. */
const Side = Type.Object({
  target_version: nullable(TargetVersion),
  branch: nullable(Type.String()),
  since: Timestamp,
  until: Timestamp,
  runs: Count,
  complete: Type.Boolean(),
});

export const RunComparison = Type.Object({
  base: Side,
  head: Side,
  /** Scenarios by change; all are listed, with zero too. */
  totals: Type.Object({
    newly_failing: Count,
    flaky: Count,
    not_judged: Count,
    failing_before: Count,
    fixed: Count,
    added: Count,
    removed: Count,
    unchanged: Count,
  }),
  /** By their 95th percentile. */
  slower: Count,
  faster: Count,
  /** What needs a look first. */
  scenarios: Type.Array(ComparedScenario),
});
export type RunComparison = Static<typeof RunComparison>;

/** A version of the target with its runs. */
export const TargetVersionEntry = Type.Object({
  target_version: TargetVersion,
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  passed: Count,
  failed: Count,
});
export type TargetVersionEntry = Static<typeof TargetVersionEntry>;
