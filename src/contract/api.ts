/**
 * The API of people, scripts and the console, under /api/v1 with a person's credential.
 *
 * Length: its documents are made of each other's parts.
 */
import { type Static, Type } from '@sinclair/typebox';
import { runOutcomes } from '../run/state.ts';
import { ReportSchema } from './report-schema.ts';
import {
  FailureId,
  InstanceId,
  nullable,
  RunIdSchema,
  RunOriginSchema,
  RunQuarantineSchema,
  RunStateSchema,
  ScenarioId,
  ScenarioText,
  SuiteId,
  TargetVersion,
  Timestamp,
} from './schemas.ts';
import { NewSuite, SuiteSource } from './suites-api.ts';

/** `NEVER_SEEN`: its executor has not called yet. `AWAY`: it has called, but not recently. */
const ExecutorStatus = Type.Union([Type.Literal('REGISTERED'), Type.Literal('AWAY'), Type.Literal('NEVER_SEEN')]);

export const Instance = Type.Object({
  instance_id: InstanceId,
  tier: Type.Union([Type.Literal('compose'), Type.Literal('embedded')]),
  executor_project: Type.String(),
  executor_port: nullable(Type.Integer()),
  executor_status: ExecutorStatus,
  executor_version: nullable(Type.String()),
  recommended_version: Type.String({
    description: 'the version of the control plane, which executors should have too; the one before it also works',
  }),
  target: nullable(Type.String()),
  /** The person it belongs to, who may change it like owners of the control plane. Null without such a person. */
  owner: nullable(Type.Object({ person_id: Type.String(), name: Type.String() })),
  created_at: Timestamp,
  last_seen_at: nullable(Timestamp),
  running: nullable(RunIdSchema),
  queued: Type.Integer(),
  /** When the executor's greeting showed that a store is an older copy; the newest such moment. Absent from 0.4.0. */
  stale_store: Type.Optional(
    nullable(
      Type.Object({
        store: Type.Union([Type.Literal('executor'), Type.Literal('control plane')]),
        noticed_at: Timestamp,
      }),
    ),
  ),
  /** Names that scenarios may use as `${NAME}`, as its executor said last; absent until it has connected. */
  scenario_variables: Type.Optional(Type.Array(Type.String())),
});
export type Instance = Static<typeof Instance>;

/** POST /instances. */
export const CreateInstanceRequest = Type.Object({
  instance_id: InstanceId,
  tier: Type.Optional(Type.Union([Type.Literal('compose'), Type.Literal('embedded')])),
  executor_port: Type.Optional(Type.Integer({ minimum: 8765, maximum: 8790 })),
});
export type CreateInstanceRequest = Static<typeof CreateInstanceRequest>;

/** The key is returned only here. */
export const CreateInstanceResponse = Type.Object({ instance: Instance, executor_key: Type.String() });
export type CreateInstanceResponse = Static<typeof CreateInstanceResponse>;

/** The key with which the machine that onboarded an instance removes it again; returned only here. */
export const CreateMachineKeyResponse = Type.Object({ machine_key: Type.String() });
export type CreateMachineKeyResponse = Static<typeof CreateMachineKeyResponse>;

/**
 * How containers on the caller's machine reach the control plane: `socket_folder` is the folder of its unix socket; null
 * without a socket, or for a caller on another machine.
 */
export const ExecutorConnectivity = Type.Object({ socket_folder: nullable(Type.String()) });
export type ExecutorConnectivity = Static<typeof ExecutorConnectivity>;

export const ScenarioEntry = Type.Object({
  scenario_id: ScenarioId,
  title: Type.String(),
  layer: Type.String(),
  tags: Type.Array(Type.String()),
  /** The person or team who looks after it, and web addresses. Absent where the text has none, and in revisions of versions before. */
  owner: Type.Optional(Type.String()),
  links: Type.Optional(Type.Array(Type.String())),
  revision: Type.Integer({ minimum: 1 }),
  sha256: Type.String(),
  updated_at: Timestamp,
  updated_by: Type.String(),
  /** The revision whose text this one has again. */
  restored_from: Type.Optional(Type.Integer({ minimum: 1 })),
});
export type ScenarioEntry = Static<typeof ScenarioEntry>;

/** The last revision of a scenario that was deleted; deletions of older versions have neither time nor name. */
export const DeletedScenario = Type.Composite([
  ScenarioEntry,
  Type.Object({ deleted_at: nullable(Timestamp), deleted_by: nullable(Type.String()) }),
]);
export type DeletedScenario = Static<typeof DeletedScenario>;

export const ScenarioDocument = Type.Composite([ScenarioEntry, Type.Object({ text: Type.String() })]);
export type ScenarioDocument = Static<typeof ScenarioDocument>;

/** `if_revision` refuses the write unless the catalogue has that revision (0: unless it has no such scenario). */
export const WriteScenarioRequest = Type.Object({
  text: ScenarioText,
  if_revision: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type WriteScenarioRequest = Static<typeof WriteScenarioRequest>;

const IfRevision = Type.Optional(Type.Integer({ minimum: 1 }));

/** The ID in the text is changed too, as a new revision. Revisions and runs are found under both ids. */
export const RenameScenarioRequest = Type.Object({ new_id: ScenarioId, if_revision: IfRevision });
export type RenameScenarioRequest = Static<typeof RenameScenarioRequest>;

/** The text of `revision` becomes the newest revision; a deleted scenario is in the catalogue again. */
export const RestoreScenarioRequest = Type.Object({
  revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  if_revision: IfRevision,
});
export type RestoreScenarioRequest = Static<typeof RestoreScenarioRequest>;

/**
 * A file of a folder. `source` identifies the file, as a digest of machine and path. `base_revision` is the catalogue's
 * revision that the file is based on, 0 when that is not known; without it the last import of the source is the base.
 */
export const ImportScenarioRequest = Type.Object({
  text: ScenarioText,
  source: Type.String({ pattern: '^[0-9a-f]{16,64}$' }),
  base_revision: Type.Optional(Type.Integer({ minimum: 0 })),
  /** What to do when file and catalogue both changed; without it nothing is written then. `file` writes in any case. */
  prefer: Type.Optional(Type.Union([Type.Literal('file'), Type.Literal('catalogue')])),
});
export type ImportScenarioRequest = Static<typeof ImportScenarioRequest>;

/** `kept`: the catalogue has another text and stays as it is. `conflict`: the same, because both changed. */
export const ImportScenarioResponse = Type.Object({
  outcome: Type.Union(
    (['created', 'updated', 'unchanged', 'kept', 'conflict'] as const).map((outcome) => Type.Literal(outcome)),
  ),
  /** Why nothing was written; null otherwise. */
  reason: nullable(Type.String()),
  /** The revision that the file is based on; null when that is not known. */
  base_revision: nullable(Type.Integer()),
  /** Null when the catalogue does not have the scenario. */
  scenario: nullable(ScenarioEntry),
});
export type ImportScenarioResponse = Static<typeof ImportScenarioResponse>;

/** A run without its report. */
export const Run = Type.Object({
  run_id: RunIdSchema,
  correlation_id: Type.String(),
  instance: Type.String(),
  scenario_id: Type.String(),
  title: Type.String(),
  revision: nullable(Type.Integer()),
  state: RunStateSchema,
  result: nullable(Type.Union([Type.Literal('passed'), Type.Literal('failed')])),
  /** Null until it has ended. `broken`: state and result are `failed`, and nothing could be judged, as after a timeout. */
  outcome: nullable(Type.Union(runOutcomes.map((outcome) => Type.Literal(outcome)))),
  origin: RunOriginSchema,
  requested_by: Type.String(),
  requested_at: Timestamp,
  started_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  cancel_requested: Type.Boolean(),
  /** Number of runs of the instance ahead of this one; 0 unless queued. */
  queue_position: Type.Integer(),
  failure_kind: nullable(Type.String()),
  failure_message: nullable(Type.String()),
  /** The first failing check and the number of further ones, as `body has count matching ^[1-9]: got 0 (+3)`. */
  failure_summary: nullable(Type.String()),
  observed_status: nullable(Type.Integer()),
  assertions_enforced_count: nullable(Type.Integer()),
  /** Checks of the log and the database; null until the run has ended, and for runs of versions that did not count them. */
  evidence_assertions_count: nullable(Type.Integer()),
  /** Up to the end of the answer. */
  duration_ms: nullable(Type.Number()),
  /** The process of the target that answered: `pid 42 on box, started at <timestamp>`, or one of the two. Absent where it is not known. */
  target_process: Type.Optional(Type.String()),
  /** The version of the target that the request named, else the one that the report shows. Absent where it is not known. */
  target_version: Type.Optional(Type.String()),
  /** Its group of failures, absent until that is known; the quarantine in which it was judged: then a failure does not count. */
  failure: Type.Optional(FailureId),
  quarantine: Type.Optional(RunQuarantineSchema),
  /** The schedule that requested it. Absent for other runs. */
  schedule: Type.Optional(Type.String()),
  /** The suite that it belongs to, and the run of it that it replaces. */
  suite: Type.Optional(SuiteId),
  retry_of: Type.Optional(RunIdSchema),
  /** As the text that ran names it; then the change that is verified, and the CI job. */
  owner: Type.Optional(Type.String()),
  source: Type.Optional(SuiteSource),
  /** Waited after the answer for log lines and query results; not part of `duration_ms`. */
  evidence_ms: nullable(Type.Number()),
});
export type Run = Static<typeof Run>;

/** A run with its report (null until there is one, or after it expired) and the scenario's text. */
export const RunDocument = Type.Composite([
  Run,
  Type.Object({
    report: nullable(ReportSchema),
    late_report: nullable(ReportSchema),
    scenario_text: nullable(Type.String()),
    /** Addresses in the metadata of the text that ran. Absent where there are none. */
    links: Type.Optional(Type.Array(Type.String())),
    /** True when retention has deleted the report. */
    report_expired: Type.Boolean(),
  }),
]);
export type RunDocument = Static<typeof RunDocument>;

/** Requests one run per entry, in order: of a scenario in the catalogue, or of the given text. */
export const CreateRunsRequest = Type.Object({
  scenarios: Type.Array(Type.Union([Type.Object({ id: ScenarioId }), Type.Object({ text: ScenarioText })]), {
    minItems: 1,
    maxItems: 1000,
  }),
  /** Also prove the checks; the result is in the report's `proof`. */
  prove: Type.Optional(Type.Boolean()),
  /** The version of the target that they run against. Without it, it is read from a header of the response. */
  target_version: Type.Optional(TargetVersion),
  /** By default a suite starts if there are several scenarios; `false`: none. `suite_id` adds to one instead. */
  suite: Type.Optional(Type.Union([NewSuite, Type.Literal(false)])),
  suite_id: Type.Optional(SuiteId),
  /** With `suite_id`: each run replaces the earlier one of its scenario in the suite, also for the verdict. */
  retry: Type.Optional(Type.Boolean()),
});
export type CreateRunsRequest = Static<typeof CreateRunsRequest>;

/** The runs are committed before the response is sent. */
export const CreateRunsResponse = Type.Object({ runs: Type.Array(Run) });
export type CreateRunsResponse = Static<typeof CreateRunsResponse>;

/** POST /instances/{instance}/queue/cancel. */
export const CancelQueuedRunsResponse = Type.Object({ cancelled: Type.Integer({ minimum: 0 }) });
export type CancelQueuedRunsResponse = Static<typeof CancelQueuedRunsResponse>;

/** A page, newest first unless said otherwise; `next_cursor` is null on the last. */
export function pageSchema<T extends import('@sinclair/typebox').TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), next_cursor: nullable(Type.String()) });
}

/** One event of the change stream; `seq` is its position and the event id. Changes of a run are merged into its newest state. */
export type ChangeEvent =
  | { seq: number; type: 'run'; run: Run }
  | { seq: number; type: 'instance'; instance: Instance }
  | { seq: number; type: 'scenario'; instance: string; scenario_id: string; revision: number; deleted: boolean }
  | { seq: number; type: 'gone'; instance: string };
