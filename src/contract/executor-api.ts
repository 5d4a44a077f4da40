/**
 * The API of executors. All calls are POSTs under /api/v1/executor with the executor's key, which determines the
 * instance. `hello` assigns one `epoch` per start; a call with an older epoch is refused with 409 EXECUTOR_SUPERSEDED.
 * `fence` grows with every lease of an instance and identifies the lease.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ReportSchema } from './report-schema.ts';
import { nullable, RunIdSchema, ScenarioText } from './schemas.ts';

const Epoch = Type.Integer({ minimum: 1 });
const Fence = Type.Integer({ minimum: 1 });

/** The version of this protocol. A control plane accepts its own version and the previous one. */
export const executorProtocol = 1;

/** First call after a start: what the executor's store says about runs it holds. */
export const HelloRequest = Type.Object({
  protocol: Type.Integer({ minimum: 1 }),
  executor_version: Type.String({ maxLength: 40 }),
  /** Random, created with the executor's store; a different value means that the journal was lost. */
  store_id: Type.String({ minLength: 8, maxLength: 64 }),
  /** Runs whose first byte may have left and which have no report. */
  started: Type.Array(RunIdSchema, { maxItems: 100 }),
  /** Runs whose report waits in the outbox. */
  finished: Type.Array(RunIdSchema, { maxItems: 100_000 }),
  /** Scheme, host and port of the target, for display. */
  target: Type.String({ maxLength: 300 }),
  /** The port where it accepts direct runs on its machine; absent where it cannot be reached there. */
  executor_port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  /** Names of the `.env` that scenarios may use (config, `scenarios.variables`); never their values. */
  scenario_variables: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200 })),
});
export type HelloRequest = Static<typeof HelloRequest>;

export const HelloResponse = Type.Object({
  instance: Type.String(),
  epoch: Epoch,
  lease_ms: Type.Integer(),
  heartbeat_ms: Type.Integer(),
  control_plane_version: Type.String(),
});
export type HelloResponse = Static<typeof HelloResponse>;

/** The executor holds the run until `lease_ms` after it sent the request for it (waiting included). */
export const Lease = Type.Object({
  run_id: RunIdSchema,
  correlation_id: Type.String(),
  fence: Fence,
  lease_ms: Type.Integer(),
  scenario_id: Type.String(),
  revision: nullable(Type.Integer()),
  scenario_text: ScenarioText,
  queued_ms: Type.Number(),
  cancel_requested: Type.Boolean(),
  /** Absent from control planes that do not support proofs. */
  prove: Type.Optional(Type.Boolean()),
});
export type Lease = Static<typeof Lease>;

/**
 * Asks for work, waiting up to `wait_ms`. `in_hand` is the run that the executor already holds, or whose report it has not
 * delivered yet: as long as the report of a lease is missing, the lease is offered again to an executor that holds no run.
 */
export const PollRequest = Type.Object({
  epoch: Epoch,
  in_hand: nullable(RunIdSchema),
  wait_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
});
export type PollRequest = Static<typeof PollRequest>;

/** Response to {@link PollRequest} and {@link CompleteRequest}: the next lease, or null. */
export const LeaseOffer = Type.Object({ lease: nullable(Lease) });
export type LeaseOffer = Static<typeof LeaseOffer>;

/** Renews the lease of a run. */
export const HeartbeatRequest = Type.Object({ epoch: Epoch, run_id: RunIdSchema, fence: Fence });
export type HeartbeatRequest = Static<typeof HeartbeatRequest>;

/** `lease_ms` is 0 when the lease is lost. */
export const HeartbeatResponse = Type.Object({
  lease_ms: Type.Integer({ minimum: 0 }),
  cancel_requested: Type.Boolean(),
});
export type HeartbeatResponse = Static<typeof HeartbeatResponse>;

/** A finished run; repeated until acknowledged. `more`: hand out the next lease in the same transaction. */
export const CompleteRequest = Type.Object({
  epoch: Epoch,
  run_id: RunIdSchema,
  fence: Fence,
  more: Type.Boolean(),
  report: ReportSchema,
});
export type CompleteRequest = Static<typeof CompleteRequest>;

/** Gives back a run that has not started. */
export const GiveBackRequest = Type.Object({ epoch: Epoch, run_id: RunIdSchema, fence: Fence });
export type GiveBackRequest = Static<typeof GiveBackRequest>;

/** A run that was started directly on the executor, after its end. */
export const DirectRunRequest = Type.Object({ epoch: Epoch, scenario_text: ScenarioText, report: ReportSchema });
export type DirectRunRequest = Static<typeof DirectRunRequest>;

/** The control plane as an executor sees it; the same over HTTP, in one process and in tests. */
export type ControlPort = {
  hello(message: HelloRequest, signal?: AbortSignal): Promise<HelloResponse>;
  poll(message: PollRequest, signal?: AbortSignal): Promise<LeaseOffer>;
  heartbeat(message: HeartbeatRequest, signal?: AbortSignal): Promise<HeartbeatResponse>;
  complete(message: CompleteRequest, signal?: AbortSignal): Promise<LeaseOffer>;
  giveBack(message: GiveBackRequest, signal?: AbortSignal): Promise<void>;
  directRun(message: DirectRunRequest, signal?: AbortSignal): Promise<void>;
};
