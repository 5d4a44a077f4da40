/** Requests for several scenarios: /api/v1/instances/{instance}/suites. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, ScenarioId, SuiteId, TargetVersion, Timestamp } from './schemas.ts';

const SourceText = Type.String({ minLength: 1, maxLength: 200 });

/** The change that is verified, and the CI job that does it. */
export const SuiteSource = Type.Object(
  {
    branch: Type.Optional(SourceText),
    commit: Type.Optional(SourceText),
    author: Type.Optional(SourceText),
    job: Type.Optional(SourceText),
    /** The page of the job. */
    url: Type.Optional(Type.String({ maxLength: 1000, pattern: '^https?://[!-~]+$' })),
  },
  { additionalProperties: false },
);
export type SuiteSource = Static<typeof SuiteSource>;

/** Further requests add runs to a larger suite, one request at a time. */
export const maxSuiteRuns = 2000;

const newSuiteMembers = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  source: Type.Optional(SuiteSource),
};

/** `expected_runs`: more than this request has, if more follow. Until they do, the suite has no verdict. */
export const NewSuite = Type.Object(
  {
    ...newSuiteMembers,
    expected_runs: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSuiteRuns })),
  },
  { additionalProperties: false },
);
export type NewSuite = Static<typeof NewSuite>;

/**
 * POST: a suite whose scenarios are divided among `shards` by how long they took before. The first request with a key decides;
 * later ones get the same division. What is requested again in such a suite replaces its earlier run.
 */
export const CreateSuiteRequest = Type.Object({
  ...newSuiteMembers,
  key: Type.String({ minLength: 1, maxLength: 200 }),
  shards: Type.Integer({ minimum: 1, maximum: 100 }),
  scenarios: Type.Array(ScenarioId, { minItems: 1, maxItems: maxSuiteRuns, uniqueItems: true }),
  target_version: Type.Optional(TargetVersion),
});
export type CreateSuiteRequest = Static<typeof CreateSuiteRequest>;

/** `incomplete`: what was requested has ended, and more is expected, such as another shard. */
const suiteStates = ['in_progress', 'incomplete', 'ended'] as const;
/** Worst first. */
export const suiteOutcomes = ['failed', 'broken', 'cancelled', 'passed'] as const;

const Count = Type.Integer({ minimum: 0 });

export const Suite = Type.Object({
  suite_id: SuiteId,
  instance: Type.String(),
  name: nullable(Type.String()),
  requested_by: Type.String(),
  requested_at: Timestamp,
  /** Null until it has ended. */
  finished_at: nullable(Timestamp),
  state: Type.Union(suiteStates.map((state) => Type.Literal(state))),
  /** The worst one of its runs; null until it has ended. A run that was retried counts with its last attempt. */
  outcome: nullable(Type.Union(suiteOutcomes.map((outcome) => Type.Literal(outcome)))),
  expected_runs: Count,
  counts: Type.Object({
    failed: Count,
    broken: Count,
    cancelled: Count,
    passed: Count,
    /** Failed or not judged in quarantine, and in no other count: the suite passes nevertheless. Absent from earlier versions. */
    quarantined: Type.Optional(Count),
    running: Count,
    queued: Count,
    not_requested: Count,
  }),
  /** How many passed only when they were retried; they are among those that passed. */
  flaky: Count,
  source: SuiteSource,
  target_version: nullable(Type.String()),
  schedule: nullable(Type.String()),
  /** The suite whose runs it runs again, and the newest one that does so with this one. */
  rerun_of: nullable(SuiteId),
  rerun: Type.Optional(nullable(SuiteId)),
  /** The scenarios of each shard. */
  shards: Type.Optional(Type.Array(Type.Array(ScenarioId))),
});
export type Suite = Static<typeof Suite>;

/** `all`, or those that did not pass. */
export const RerunSuiteRequest = Type.Object({
  only: Type.Optional(Type.Union([Type.Literal('not_passed'), Type.Literal('all')])),
});
export type RerunSuiteRequest = Static<typeof RerunSuiteRequest>;

export const CancelSuiteResponse = Type.Object({ cancelled: Count });
