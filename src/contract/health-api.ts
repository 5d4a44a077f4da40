/** How far the results of scenarios can be relied on: /api/v1/instances/{instance}/health. */
import { type Static, Type } from '@sinclair/typebox';
import { speedChanges } from '../insight/speed.ts';
import { Quarantine } from './quarantines-api.ts';
import { nullable, ScenarioId } from './schemas.ts';

const Count = Type.Integer({ minimum: 0 });
const Share = nullable(Type.Number({ minimum: 0, maximum: 1 }));
const Millis = nullable(Type.Number());

/** Rates are of judged results, null without any; `flip_rate` is the share of results that differ from the one before. */
const rates = {
  passed: Count,
  failed: Count,
  not_judged: Count,
  pass_rate: Share,
  flip_rate: Share,
  /** pass_rate × (1 − flip_rate). */
  health: Share,
};

export const ScenarioHealth = Type.Object({
  scenario_id: ScenarioId,
  title: Type.String(),
  ...rates,
  /** One version of the target and one revision of the scenario both passed and failed; without a version, the result changed three times. */
  flaky: Type.Boolean(),
  /** The newest such version; null where it is not known. */
  flaky_version: nullable(Type.String()),
  /**
   * Passed runs of the last two days against those of the 14 days before: Mann-Whitney U test with Holm's correction over all
   * scenarios, p < 0.01, and at least 5% and 1 ms in the median.
   */
  speed: Type.Union(speedChanges.map((change) => Type.Literal(change))),
  recent_p50_ms: Millis,
  earlier_p50_ms: Millis,
  /** In effect now. Absent otherwise. */
  quarantine: Type.Optional(Quarantine),
});
export type ScenarioHealth = Static<typeof ScenarioHealth>;

/** Over the newest `window_runs` runs of each scenario, at most 30 days old; fewer where there are many scenarios. */
export const ScenarioHealthList = Type.Object({
  window_runs: Type.Integer({ minimum: 1 }),
  /** What needs a look first: flaky, slower, then by health. */
  scenarios: Type.Array(ScenarioHealth),
});
export type ScenarioHealthList = Static<typeof ScenarioHealthList>;

/** A check over the newest 50 runs that have a report. `check` and `step` are as in reports. */
export const CheckHealth = Type.Object({
  check: Type.String(),
  step: nullable(Type.String()),
  line: Type.Integer(),
  ...rates,
});
export type CheckHealth = Static<typeof CheckHealth>;

export const ScenarioHealthDocument = Type.Composite([
  ScenarioHealth,
  Type.Object({ checks: Type.Array(CheckHealth) }),
]);
export type ScenarioHealthDocument = Static<typeof ScenarioHealthDocument>;
