/**
 * The control plane as functions on the store: what `server/` serves over HTTP and what embedded roles call directly.
 * Functions take validated input and return wire types; they throw VpError with a code of errors/control.ts.
 */
import type {
  ChangeEvent,
  CreateInstanceRequest,
  CreateInstanceResponse,
  CreateRunsRequest,
  DeletedScenario,
  ImportScenarioRequest,
  ImportScenarioResponse,
  Instance,
  RenameScenarioRequest,
  RestoreScenarioRequest,
  Run,
  RunDocument,
  ScenarioDocument,
  ScenarioEntry,
  WriteScenarioRequest,
} from '../contract/api.ts';
import type { RunComparison, TargetVersionEntry } from '../contract/comparison-api.ts';
import type { ControlPort, StaleStore } from '../contract/executor-api.ts';
import type {
  ChangeFailureRequest,
  FailureDocument,
  FailureFilterState,
  FailureGroup,
} from '../contract/failures-api.ts';
import type { ScenarioHealthDocument, ScenarioHealthList } from '../contract/health-api.ts';
import type { HubToolVerification } from '../contract/hubs/tool-verification-api.ts';
import type { RunPage, RunSearchParameters } from '../contract/run-search-api.ts';
import type { ScenarioResult } from '../contract/scenario-results-api.ts';
import type { Report } from '../report/report.ts';
import type { ExecutionFailure } from '../run/evidence.ts';
import type { RunState } from '../run/state.ts';
import type { ToolOutcome } from '../run/tool-outcome.ts';
import type { ComparedSelection } from '../store/control/runs/compared-runs.ts';
import type { StoreState } from '../store/store-state.ts';
import type { ClockJump } from '../timing/steady-clock.ts';
import type { QuarantinesService } from './catalogue/quarantines-service.ts';
import type { Actor, PageQuery, ResultPage } from './list-types.ts';
import type { StatisticsReader } from './runs/statistics-reader.ts';
import type { SchedulesService } from './schedules/schedules-service.ts';
import type { StatusPagesService } from './status-pages/status-pages-service.ts';
import type { SuitesService } from './suites/suites-service.ts';
import type { ViewsService } from './views/views-service.ts';

export type { Actor, PageQuery, ResultPage };

/** All conditions must hold; times are of the request, in milliseconds since 1970, `untilMs` excluded. */
export type RunListFilter = {
  readonly instance?: string | undefined;
  readonly suite?: string | undefined;
  readonly scenario?: string | undefined;
  readonly states?: readonly RunState[] | undefined;
  /** False: only runs that failed without a response to judge. True: all others. */
  readonly judged?: boolean | undefined;
  /** False: only runs that no later one of their suite has replaced. True: only those that one has. */
  readonly replaced?: boolean | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Conditions beyond the columns of a run. */
  readonly search?: RunSearchParameters | undefined;
};
/** What an accepted bearer credential stands for. */
export type Credential =
  | { readonly kind: 'owner' }
  | { readonly kind: 'scrape' }
  | { readonly kind: 'executor'; readonly instance: string; readonly keyHash: string };

export type InstancesService = {
  create(input: CreateInstanceRequest, actor: Actor): Promise<CreateInstanceResponse>;
  list(): Promise<Instance[]>;
  get(id: string): Promise<Instance>;
  /**
   * Removes the registration, its keys, its scenarios and its run history (spec, teardown). `onRevoked` is called as soon as the keys of its
   * executor and the tokens of its agents are gone.
   */
  remove(id: string, onRevoked?: () => void): Promise<void>;
  /** The previous key stops working at once. */
  rotateKey(id: string): Promise<{ executor_key: string }>;
};

/**
 * The catalogue of each instance, with revisions. A text with diagnostics of severity error is refused. A former id of a
 * renamed scenario reads the scenario; changes under it are refused with SCENARIO_RENAMED.
 */
export type ScenarioCatalogue = {
  /** With `path` those that send a request to a path that begins so. */
  list(instance: string, page: PageQuery, path?: string): Promise<ResultPage<ScenarioEntry>>;
  listDeleted(instance: string, page: PageQuery, path?: string): Promise<ResultPage<DeletedScenario>>;
  get(instance: string, scenario: string, revision?: number): Promise<ScenarioDocument>;
  history(instance: string, scenario: string): Promise<ScenarioEntry[]>;
  /** The scenario's ID must be `scenario`. Writing the text it already has changes nothing. */
  write(instance: string, scenario: string, input: WriteScenarioRequest, actor: Actor): Promise<ScenarioDocument>;
  /** Its revisions and runs stay. */
  remove(instance: string, scenario: string, actor: Actor, ifRevision?: number): Promise<void>;
  rename(instance: string, scenario: string, input: RenameScenarioRequest, actor: Actor): Promise<ScenarioDocument>;
  restore(instance: string, scenario: string, input: RestoreScenarioRequest, actor: Actor): Promise<ScenarioDocument>;
  /** Writes a file of a folder unless that would overwrite a change of the catalogue. */
  import(
    instance: string,
    scenario: string,
    input: ImportScenarioRequest,
    actor: Actor,
  ): Promise<ImportScenarioResponse>;
};

/** Calls the tool; a failure where nothing came back that could be judged. */
export type CallTool = (args: Record<string, unknown>, signal: AbortSignal) => Promise<ToolOutcome | ExecutionFailure>;

export type ToolScenarios = {
  /** What checks see of a result of `tools/call`, which is given as JSON. */
  toOutcome(resultText: string): ToolOutcome;
  /** `tool` is its name as clients of the hub see it. One scenario after the other. */
  run(tool: string, call: CallTool, signal: AbortSignal): Promise<Omit<HubToolVerification, 'digest'>>;
};

export type RunsService = {
  /** Committed before it resolves. The same `idempotencyKey` within a day returns the runs of the first request. */
  request(instance: string, input: CreateRunsRequest, actor: Actor, idempotencyKey?: string): Promise<Run[]>;
  list(filter: RunListFilter, page: PageQuery): Promise<RunPage>;
  get(runId: string): Promise<RunDocument>;
  /** Resolves when the run is final, or after `waitMs` with the run as it is then. */
  wait(runId: string, waitMs: number, signal?: AbortSignal): Promise<RunDocument>;
  /** A queued run ends at once; the executor of a leased one is asked to stop. Throws RUN_FINAL for a final one. */
  cancel(runId: string): Promise<Run>;
  /** Cancels all queued runs of an instance, or of one of its scenarios, and returns their number. */
  cancelQueued(instance: string, scenario?: string): Promise<number>;
  report(runId: string): Promise<Report>;
  /** The newest result of each scenario of the catalogue. Throws INSTANCE_UNKNOWN. */
  listScenarioResults(instance: string): Promise<ScenarioResult[]>;
  /** The instance of a run. Throws RUN_UNKNOWN. */
  getInstanceId(runId: string): Promise<string>;
};

/** All conditions must hold. */
export type FailureListFilter = {
  readonly instance: string;
  readonly state?: FailureFilterState | undefined;
  readonly scenario?: string | undefined;
  readonly assignee?: string | undefined;
};

/** Methods throw INSTANCE_UNKNOWN; those of one failure throw FAILURE_UNKNOWN too. */
export type FailuresService = {
  /** The failures seen last first. */
  list(filter: FailureListFilter, page: PageQuery): Promise<ResultPage<FailureGroup>>;
  get(instance: string, failure: string): Promise<FailureDocument>;
  /** Resolving is undone by the next run that is started afterwards and fails in the same way. */
  change(instance: string, failure: string, input: ChangeFailureRequest, actor: Actor): Promise<FailureGroup>;
};

/** Methods throw INSTANCE_UNKNOWN. */
export type ComparisonService = {
  /** Throws COMPARISON_EMPTY where a side has no run. */
  compare(instance: string, base: ComparedSelection, head: ComparedSelection): Promise<RunComparison>;
  /** The two newest versions of the target. Throws COMPARISON_VERSIONS_MISSING. */
  compareNewest(instance: string): Promise<RunComparison>;
  /** The newest first. */
  listTargetVersions(instance: string): Promise<TargetVersionEntry[]>;
};

/** Methods throw INSTANCE_UNKNOWN. */
export type HealthService = {
  list(instance: string): Promise<ScenarioHealthList>;
  /** Of a scenario of the catalogue. Throws SCENARIO_UNKNOWN. */
  get(instance: string, scenario: string): Promise<ScenarioHealthDocument>;
};

export type ChangeFeed = {
  /** The newest sequence number. */
  head(): Promise<number>;
  list(sinceSeq: number, instance: string | undefined, limit: number): Promise<{ events: ChangeEvent[]; seq: number }>;
  /** Calls `listener` after each commit that changed something; the returned function stops that. */
  onCommit(listener: () => void): () => void;
};

/** Health and counters, for /readyz and /metrics. */
export type ControlGauges = {
  /** Throws STORE_UNUSABLE when the store does not answer. */
  ready(): Promise<void>;
  /** Runs waiting and running, per instance. */
  queues(): Promise<{ instance: string; queued: number; running: number; lastSeenAgoMs: number | null }[]>;
  getStoreState(): StoreState;
  /** `listener` gets the time of each committed write of the store, from its request on. */
  onWritten(listener: (durationMs: number) => void): void;
  /** The last jump of the machine's clock; undefined when it has settled. */
  findClockJump(): ClockJump | undefined;
  /** Totals since the process started. */
  totals(): Readonly<Record<'requested' | 'passed' | 'failed' | 'cancelled' | 'executorsLost', number>> & {
    /** Stores that turned out to be older copies, by whose they are. */
    readonly staleStores: Readonly<Record<StaleStore, number>>;
  };
};

/** `executorPort` is the API of one instance's executor, for messages that come with the key of `keyHash`, or within this process. */
export type Control = {
  readonly instances: InstancesService;
  readonly catalogue: ScenarioCatalogue;
  readonly runs: RunsService;
  readonly failures: FailuresService;
  readonly comparison: ComparisonService;
  readonly health: HealthService;
  readonly quarantines: QuarantinesService;
  readonly schedules: SchedulesService;
  readonly suites: SuitesService;
  readonly views: ViewsService;
  readonly statusPages: StatusPagesService;
  readonly toolScenarios: ToolScenarios;
  readonly statistics: StatisticsReader;
  readonly changes: ChangeFeed;
  readonly gauges: ControlGauges;
  executorPort(instance: string, keyHash?: string): ControlPort;
  /** Undefined when the token is unknown. */
  authenticate(token: string): Promise<Credential | undefined>;
  /** Ends waits, commits pending writes, closes the store. */
  close(): Promise<void>;
};
