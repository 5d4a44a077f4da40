/**
 * What an executor says to the control plane. All calls are POSTs under /api/v1/executor with the executor's key; the
 * instance is the key's. `epoch` is given by `hello`, one per start; a call with an older epoch is answered 409
 * EXECUTOR_SUPERSEDED. `fence` grows with every lease of an instance and names the lease.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ReportSchema } from './report-schema.ts';
import { nullable, RunIdText, ScenarioText } from './words.ts';

const Epoch = Type.Integer({ minimum: 1 });
const Fence = Type.Integer({ minimum: 1 });

/** The version of this protocol. A control plane accepts its own and the one before. */
export const executorProtocol = 1;

/** First call after a start: what the executor's own store says about runs in hand. */
export const Hello = Type.Object({
  protocol: Type.Integer({ minimum: 1 }),
  executor_version: Type.String({ maxLength: 40 }),
  /** Random, made with the executor's store; another one means that the journal is gone. */
  store_id: Type.String({ minLength: 8, maxLength: 64 }),
  /** Runs whose first byte may have left and which have no report. */
  started: Type.Array(RunIdText, { maxItems: 100 }),
  /** Runs whose report waits in the outbox. */
  finished: Type.Array(RunIdText, { maxItems: 100_000 }),
  /** Scheme, host and port of the target, for people. */
  target: Type.String({ maxLength: 300 }),
  /** Where it listens for direct runs on its machine; absent where nobody can reach it there. */
  executor_port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  /** Names of the `.env` that scenarios may use (config, `scenarios.variables`); never their values. */
  scenario_variables: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200 })),
});
/** See {@link Hello}. */
export type Hello = Static<typeof Hello>;

/** Answer to {@link Hello}. */
export const Welcome = Type.Object({
  instance: Type.String(),
  epoch: Epoch,
  lease_ms: Type.Integer(),
  heartbeat_ms: Type.Integer(),
  control_plane_version: Type.String(),
});
/** See {@link Welcome}. */
export type Welcome = Static<typeof Welcome>;

/** A run in the executor's hands until `lease_ms` after the moment the request for it was sent (waiting included). */
export const Lease = Type.Object({
  run_id: RunIdText,
  correlation_id: Type.String(),
  fence: Fence,
  lease_ms: Type.Integer(),
  scenario_id: Type.String(),
  revision: nullable(Type.Integer()),
  scenario_text: ScenarioText,
  queued_ms: Type.Number(),
  cancel_requested: Type.Boolean(),
  /** Absent from control planes that do not know of proofs. */
  prove: Type.Optional(Type.Boolean()),
});
/** See {@link Lease}. */
export type Lease = Static<typeof Lease>;

/**
 * Asks for work, waiting up to `wait_ms`. `in_hand` names the run the executor already has, or whose report it has not
 * delivered yet: as long as the report of a lease is missing, the lease is offered again to an executor with empty hands.
 */
export const Poll = Type.Object({
  epoch: Epoch,
  in_hand: nullable(RunIdText),
  wait_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
});
/** See {@link Poll}. */
export type Poll = Static<typeof Poll>;

/** Answer to {@link Poll} and {@link Complete}: the next lease, or null. */
export const Offer = Type.Object({ lease: nullable(Lease) });
/** See {@link Offer}. */
export type Offer = Static<typeof Offer>;

/** "I still have it." */
export const Heartbeat = Type.Object({ epoch: Epoch, run_id: RunIdText, fence: Fence });
/** See {@link Heartbeat}. */
export type Heartbeat = Static<typeof Heartbeat>;

/** Answer to {@link Heartbeat}; `lease_ms` is 0 when the lease is lost. */
export const Pulse = Type.Object({ lease_ms: Type.Integer({ minimum: 0 }), cancel_requested: Type.Boolean() });
/** See {@link Pulse}. */
export type Pulse = Static<typeof Pulse>;

/** A finished run; repeated until acknowledged. `more`: hand out the next lease in the same transaction. */
export const Complete = Type.Object({
  epoch: Epoch,
  run_id: RunIdText,
  fence: Fence,
  more: Type.Boolean(),
  report: ReportSchema,
});
/** See {@link Complete}. */
export type Complete = Static<typeof Complete>;

/** Gives back a run that has not started. */
export const GiveBack = Type.Object({ epoch: Epoch, run_id: RunIdText, fence: Fence });
/** See {@link GiveBack}. */
export type GiveBack = Static<typeof GiveBack>;

/** A run that was started directly on the executor, after its end. */
export const DirectRun = Type.Object({ epoch: Epoch, scenario_text: ScenarioText, report: ReportSchema });
/** See {@link DirectRun}. */
export type DirectRun = Static<typeof DirectRun>;

/** The control plane as an executor sees it; the same over HTTP, in one process and in tests. */
export type ControlPort = {
  hello(message: Hello, signal?: AbortSignal): Promise<Welcome>;
  poll(message: Poll, signal?: AbortSignal): Promise<Offer>;
  heartbeat(message: Heartbeat, signal?: AbortSignal): Promise<Pulse>;
  complete(message: Complete, signal?: AbortSignal): Promise<Offer>;
  giveBack(message: GiveBack, signal?: AbortSignal): Promise<void>;
  directRun(message: DirectRun, signal?: AbortSignal): Promise<void>;
};
