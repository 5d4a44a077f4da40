/** Failed runs by what failed: /api/v1/instances/{instance}/failures. */
import { type Static, Type } from '@sinclair/typebox';
import { Run } from './api.ts';
import { failureDays, maxAssigneeLength, maxFailureNoteLength } from './failure-limits.ts';
import { Quarantine } from './quarantines-api.ts';
import { FailureId, nullable, RunIdSchema, ScenarioId, Timestamp } from './schemas.ts';

/** A moment of a failure: the run, when it was requested, and the version of the target where that is known. */
const Sighting = Type.Object({ run_id: RunIdSchema, at: Timestamp, target_version: nullable(Type.String()) });

/** Runs of one scenario in which the same check failed in the same way; identifiers, times and numbers may differ. */
export const FailureGroup = Type.Object({
  failure_id: FailureId,
  scenario_id: ScenarioId,
  /** The check that failed first; null where nothing could be judged. */
  check: nullable(Type.String()),
  /** The step whose response it looked at. */
  step: nullable(Type.String()),
  /** Where the check was in the scenario that ran last. */
  line: nullable(Type.Integer()),
  /** What came instead, with `#` for identifiers, times and numbers. */
  outcome: Type.String(),
  failure_kind: Type.String(),
  /** The last run's failure in full: `body has count equals 4: got 3`. */
  summary: Type.String(),
  state: Type.Union([Type.Literal('open'), Type.Literal('resolved')]),
  /** True while the newest run of the scenario that passed or failed is one of these. */
  failing: Type.Boolean(),
  runs: Type.Integer({ minimum: 1 }),
  first_seen: Sighting,
  last_seen: Sighting,
  resolved_at: nullable(Timestamp),
  /** Who resolved it, also after it was reopened. */
  resolved_by: nullable(Type.String()),
  /** The run with which it came back after it had been resolved; null otherwise. */
  reopened: nullable(Sighting),
  assignee: nullable(Type.String()),
  note: nullable(Type.String()),
  /** That of the scenario, in effect now: the failure does not count. Absent otherwise. */
  quarantine: Type.Optional(Quarantine),
  /** Failed runs on each of the last 14 days (UTC), the oldest first; more than 2,000 runs are not counted. */
  days: Type.Array(Type.Integer({ minimum: 0 }), { minItems: failureDays, maxItems: failureDays }),
});
export type FailureGroup = Static<typeof FailureGroup>;

/** Versions of the target in the newest 2,000 runs of the group, the newest first; null where it is not known. */
const FailureVersion = Type.Object({
  target_version: nullable(Type.String()),
  runs: Type.Integer({ minimum: 1 }),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
});

export const FailureDocument = Type.Composite([
  FailureGroup,
  Type.Object({ versions: Type.Array(FailureVersion), newest_runs: Type.Array(Run) }),
]);
export type FailureDocument = Static<typeof FailureDocument>;

/** What is absent stays as it is. */
export const ChangeFailureRequest = Type.Object({
  state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('resolved')])),
  assignee: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: maxAssigneeLength }))),
  note: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: maxFailureNoteLength }))),
});
export type ChangeFailureRequest = Static<typeof ChangeFailureRequest>;

/** `failing`: open, and in the newest result of the scenario. */
export const FailureFilterState = Type.Union([Type.Literal('failing'), Type.Literal('open'), Type.Literal('resolved')]);
export type FailureFilterState = Static<typeof FailureFilterState>;
