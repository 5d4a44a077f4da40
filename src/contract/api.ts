/** What people, scripts and the console say to the control plane, under /api/v1 with a person's credential. */
import { type Static, Type } from '@sinclair/typebox';
import { ReportSchema } from './report-schema.ts';
import { InstanceId, Moment, nullable, Origin, RunIdText, ScenarioId, ScenarioText, State } from './words.ts';

/** `never_seen`: registered, its executor has not called yet. `away`: it has called, but not lately. */
export const ExecutorStatus = Type.Union([
  Type.Literal('REGISTERED'),
  Type.Literal('AWAY'),
  Type.Literal('NEVER_SEEN'),
]);

/** A registered executor for one target. */
export const Instance = Type.Object({
  instance_id: InstanceId,
  tier: Type.Union([Type.Literal('compose'), Type.Literal('embedded')]),
  executor_project: Type.String(),
  executor_port: nullable(Type.Integer()),
  executor_status: ExecutorStatus,
  executor_version: nullable(Type.String()),
  recommended_version: Type.String(),
  target: nullable(Type.String()),
  /** The person whom it belongs to: they and the control plane's owners change it. Null where nobody in particular does. */
  owner: nullable(Type.Object({ person_id: Type.String(), name: Type.String() })),
  created_at: Moment,
  last_seen_at: nullable(Moment),
  running: nullable(RunIdText),
  queued: Type.Integer(),
});
/** See {@link Instance}. */
export type Instance = Static<typeof Instance>;

/** Registers an instance. */
export const InstanceNew = Type.Object({
  instance_id: InstanceId,
  tier: Type.Optional(Type.Union([Type.Literal('compose'), Type.Literal('embedded')])),
  executor_port: Type.Optional(Type.Integer({ minimum: 8765, maximum: 8790 })),
});
/** See {@link InstanceNew}. */
export type InstanceNew = Static<typeof InstanceNew>;

/** The key is shown this once. */
export const InstanceCreated = Type.Object({ instance: Instance, executor_key: Type.String() });
/** See {@link InstanceCreated}. */
export type InstanceCreated = Static<typeof InstanceCreated>;

/** The key by which the machine that onboarded an instance removes it again; shown this once. */
export const MachineKeyCreated = Type.Object({ machine_key: Type.String() });
/** See {@link MachineKeyCreated}. */
export type MachineKeyCreated = Static<typeof MachineKeyCreated>;

/**
 * How containers of the caller's machine reach the control plane: `socket_folder` is the folder of its unix socket, null
 * where it has none, or where the caller is on another machine.
 */
export const ExecutorWays = Type.Object({ socket_folder: nullable(Type.String()) });
/** See {@link ExecutorWays}. */
export type ExecutorWays = Static<typeof ExecutorWays>;

/** A scenario of the catalogue without its text. */
export const ScenarioEntry = Type.Object({
  scenario_id: ScenarioId,
  title: Type.String(),
  layer: Type.String(),
  tags: Type.Array(Type.String()),
  revision: Type.Integer({ minimum: 1 }),
  sha256: Type.String(),
  updated_at: Moment,
  updated_by: Type.String(),
});
/** See {@link ScenarioEntry}. */
export type ScenarioEntry = Static<typeof ScenarioEntry>;

/** A scenario with its text. */
export const ScenarioDocument = Type.Composite([ScenarioEntry, Type.Object({ text: Type.String() })]);
/** See {@link ScenarioDocument}. */
export type ScenarioDocument = Static<typeof ScenarioDocument>;

/** Writes a scenario; `if_revision` refuses the write when the catalogue has another (0: when it has any). */
export const ScenarioWrite = Type.Object({
  text: ScenarioText,
  if_revision: Type.Optional(Type.Integer({ minimum: 0 })),
});
/** See {@link ScenarioWrite}. */
export type ScenarioWrite = Static<typeof ScenarioWrite>;

/** A run without its report. */
export const Run = Type.Object({
  run_id: RunIdText,
  correlation_id: Type.String(),
  instance: Type.String(),
  scenario_id: Type.String(),
  title: Type.String(),
  revision: nullable(Type.Integer()),
  state: State,
  result: nullable(Type.Union([Type.Literal('passed'), Type.Literal('failed')])),
  origin: Origin,
  requested_by: Type.String(),
  requested_at: Moment,
  started_at: nullable(Moment),
  finished_at: nullable(Moment),
  cancel_requested: Type.Boolean(),
  /** Runs of the instance that are before this one; 0 unless queued. */
  queue_position: Type.Integer(),
  failure_kind: nullable(Type.String()),
  failure_message: nullable(Type.String()),
  /** The first failing check, as `body has count matching ^[1-9]: got 0`. */
  failure_summary: nullable(Type.String()),
  observed_status: nullable(Type.Integer()),
  assertions_enforced_count: nullable(Type.Integer()),
  /** Checks of the log and the database; null until the run has ended, and for runs from before they were counted. */
  evidence_assertions_count: nullable(Type.Integer()),
  duration_ms: nullable(Type.Number()),
});
/** See {@link Run}. */
export type Run = Static<typeof Run>;

/** A run with its report (null until there is one, or after it expired) and the scenario's text. */
export const RunDocument = Type.Composite([
  Run,
  Type.Object({
    report: nullable(ReportSchema),
    late_report: nullable(ReportSchema),
    scenario_text: nullable(Type.String()),
    /** When the report was deleted by retention. */
    report_expired: Type.Boolean(),
  }),
]);
/** See {@link RunDocument}. */
export type RunDocument = Static<typeof RunDocument>;

/** Requests one run for each entry, in order: of the catalogue, or of a text that is not in it. */
export const RunsNew = Type.Object({
  scenarios: Type.Array(Type.Union([Type.Object({ id: ScenarioId }), Type.Object({ text: ScenarioText })]), {
    minItems: 1,
    maxItems: 1000,
  }),
  /** Also find out what each check would miss; the report's `proof` tells. */
  prove: Type.Optional(Type.Boolean()),
});
/** See {@link RunsNew}. */
export type RunsNew = Static<typeof RunsNew>;

/** Committed before it is answered. */
export const RunsRequested = Type.Object({ runs: Type.Array(Run) });
/** See {@link RunsRequested}. */
export type RunsRequested = Static<typeof RunsRequested>;

/** A page, newest first unless said otherwise; `next_cursor` is null on the last. */
export function page<T extends import('@sinclair/typebox').TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), next_cursor: nullable(Type.String()) });
}

/** One change, as an event of the stream; `seq` is its place and the event's id. Runs come merged: the newest state only. */
export type ChangeEvent =
  | { seq: number; type: 'run'; run: Run }
  | { seq: number; type: 'instance'; instance: Instance }
  | { seq: number; type: 'scenario'; instance: string; scenario_id: string; revision: number; deleted: boolean }
  | { seq: number; type: 'gone'; instance: string };
