/**
 * The API of executors. All calls are POSTs under /api/v1/executor with the executor's key, which determines the
 * instance. `challenge`, then `hello` assigns one `epoch` per start; a call with an older epoch is refused with 409
 * EXECUTOR_SUPERSEDED, one of an executor that knows more than the control plane's store, or that has not greeted since a
 * restore, with 409 CONTROL_STORE_STALE. `fence` grows with every lease of an instance and identifies the lease.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ReportSchema } from './report-schema.ts';
import { nullable, RunIdSchema, ScenarioText } from './schemas.ts';

const Epoch = Type.Integer({ minimum: 1 });
const Fence = Type.Integer({ minimum: 1 });

/** The version of this protocol. A control plane accepts its own version and the previous one. */
export const executorProtocol = 1;

/**
 * What an executor can do beyond the protocol's version. `steps`: it sends the requests of STEPS and CLEANUP. `cases`: it sends each
 * case of CASES. `multipart`: it sends files. `streams`: it receives messages. `owner`: it reads texts with `Owner` and `Links`;
 * others get them without. `long-texts`: it reads texts of more than `maxTextLength` with their files.
 */
export type ExecutorFeature = 'steps' | 'cases' | 'multipart' | 'streams' | 'owner' | 'grpc' | 'long-texts';
export const executorFeatures: ExecutorFeature[] = [
  ...(['steps', 'cases', 'multipart', 'streams', 'owner', 'grpc', 'long-texts'] as const),
];

/** A run that needs something else is not leased; it ends. Absent from executors that have no features. */
const Features = Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 }));

const Nonce = Type.String({ minLength: 8, maxLength: 64 });

/** Before a hello: `start_id` is random and new for each start. Absent from control planes of 0.4.0 (404). */
export const ChallengeRequest = Type.Object({ start_id: Nonce });
export type ChallengeRequest = Static<typeof ChallengeRequest>;

/** The hello must repeat `challenge`. It is accepted once, and not after another start was accepted. */
export const ChallengeResponse = Type.Object({ challenge: Nonce });
export type ChallengeResponse = Static<typeof ChallengeResponse>;

/**
 * How far the executor's journal has come, and the highest numbers that a control plane has sent it. Each side recognizes
 * by them that the other's store is an older copy. Absent from executors of 0.4.0.
 */
export const JournalPosition = Type.Object({
  /** Grows with every change of the journal. */
  seq: Type.Integer({ minimum: 0 }),
  /** When the instance was registered (`run_totals`); the numbers below belong to this registration. 0 before the first hello. */
  registered_at_ms: Type.Integer(),
  /** The last epoch it was given. */
  epoch: Type.Integer({ minimum: 0 }),
  /** The highest fence of a lease that it noted. */
  fence: Type.Integer({ minimum: 0 }),
  /** The highest number of finished runs that it received. */
  finished_runs: Type.Integer({ minimum: 0 }),
});
export type JournalPosition = Static<typeof JournalPosition>;

/** Whose store is an older copy. */
const StaleStore = Type.Union([Type.Literal('executor'), Type.Literal('control plane')]);
export type StaleStore = Static<typeof StaleStore>;

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
  /** A hello that is delivered again, or late, does not end a later start. Absent from executors of 0.4.0. */
  start: Type.Optional(Type.Object({ id: Nonce, challenge: Nonce })),
  journal: Type.Optional(JournalPosition),
});
export type HelloRequest = Static<typeof HelloRequest>;

const RunCount = Type.Integer({ minimum: 0 });

/** Finished runs of the instance since its registration, as the control plane's store counts them; they only grow. */
export const InstanceRunTotals = Type.Object({
  registered_at_ms: Type.Integer(),
  passed: RunCount,
  failed: RunCount,
  /** Failed without a response to judge. */
  not_judged: RunCount,
  cancelled: RunCount,
});
export type InstanceRunTotals = Static<typeof InstanceRunTotals>;

export const HelloResponse = Type.Object({
  instance: Type.String(),
  epoch: Epoch,
  lease_ms: Type.Integer(),
  heartbeat_ms: Type.Integer(),
  control_plane_version: Type.String(),
  /** Absent from control planes that do not count. */
  run_totals: Type.Optional(InstanceRunTotals),
  /** Present when the journal showed that a store is an older copy. */
  stale_store: Type.Optional(StaleStore),
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
 * Grows with each attempt of a call that may bring a lease: one that arrives late, or twice, brings none. Absent from
 * executors of 0.4.0.
 */
const CallNumber = Type.Optional(Type.Integer({ minimum: 1 }));

/**
 * Asks for work, waiting up to `wait_ms`. `in_hand` is the run that the executor already holds, or whose report it has not
 * delivered yet: as long as the report of a lease is missing, the lease is offered again to an executor that holds no run. With
 * one that it holds, the position of `journal` is committed before the response: an older copy is recognized by it.
 */
export const PollRequest = Type.Object({
  epoch: Epoch,
  in_hand: nullable(RunIdSchema),
  wait_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
  call: CallNumber,
  /**
   * The executor sends the run only after it announced that (`before_send` of {@link HeartbeatRequest}). A lease for which it did
   * not was never sent, and the run is leased again. Absent: the lease counts as sent.
   */
  announces_send: Type.Optional(Type.Boolean()),
  features: Features,
  journal: Type.Optional(JournalPosition),
});
export type PollRequest = Static<typeof PollRequest>;

/**
 * Response to {@link PollRequest} and {@link CompleteRequest}: the next lease, or null. `run_totals` is in the response to a
 * report, and to a poll without a lease.
 */
export const LeaseOffer = Type.Object({ lease: nullable(Lease), run_totals: Type.Optional(InstanceRunTotals) });
export type LeaseOffer = Static<typeof LeaseOffer>;

/**
 * Renews the lease of a run. `before_send`: the executor is about to send the request of the run, and does so only when the
 * response says that it holds the lease.
 */
export const HeartbeatRequest = Type.Object({
  epoch: Epoch,
  run_id: RunIdSchema,
  fence: Fence,
  before_send: Type.Optional(Type.Boolean()),
  journal: Type.Optional(JournalPosition),
});
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
  call: CallNumber,
  features: Features,
  journal: Type.Optional(JournalPosition),
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
  challenge(message: ChallengeRequest, signal?: AbortSignal): Promise<ChallengeResponse>;
  hello(message: HelloRequest, signal?: AbortSignal): Promise<HelloResponse>;
  poll(message: PollRequest, signal?: AbortSignal): Promise<LeaseOffer>;
  heartbeat(message: HeartbeatRequest, signal?: AbortSignal): Promise<HeartbeatResponse>;
  complete(message: CompleteRequest, signal?: AbortSignal): Promise<LeaseOffer>;
  giveBack(message: GiveBackRequest, signal?: AbortSignal): Promise<void>;
  directRun(message: DirectRunRequest, signal?: AbortSignal): Promise<void>;
};
