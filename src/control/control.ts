/**
 * The control plane as functions on the store: what `server/` serves over HTTP and what embedded roles call directly.
 * Every function is validated input in, wire form out; refusals are thrown as VpError with a code of errors/control.ts.
 */
import type {
  ChangeEvent,
  Instance,
  InstanceCreated,
  InstanceNew,
  Run,
  RunDocument,
  RunsNew,
  ScenarioDocument,
  ScenarioEntry,
  ScenarioWrite,
} from '../contract/api.ts';
import type { ControlPort } from '../contract/executor-api.ts';
import type { Report } from '../report/report.ts';
import type { RunState } from '../run/state.ts';
import type { StatisticsOf } from './statistics.ts';

/** A page, newest first for runs, by id for the rest. */
export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };
/** How far and where from; `cursor` is what an earlier page gave. Limit 1 to 200. */
export type PageQuery = { readonly limit: number; readonly cursor?: string | undefined };
/** All conditions must hold; times are of the request, in milliseconds since 1970, `untilMs` excluded. */
export type RunFilter = {
  readonly instance?: string | undefined;
  readonly scenario?: string | undefined;
  readonly states?: readonly RunState[] | undefined;
  /** False: only runs that failed without an answer to judge. True: only those that are not such. */
  readonly judged?: boolean | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
};
/** Who asks; a person owns the instances it creates. The name is shown as `requested_by` and `updated_by`. */
export type Actor = { readonly name: string; readonly personId?: string };
/** What an accepted bearer credential stands for. */
export type Credential =
  | { readonly kind: 'owner' }
  | { readonly kind: 'scrape' }
  | { readonly kind: 'executor'; readonly instance: string };

/** Registered instances. */
export type Instances = {
  create(input: InstanceNew, actor: Actor): Promise<InstanceCreated>;
  list(): Promise<Instance[]>;
  get(id: string): Promise<Instance>;
  /** Removes the registration, its keys, its scenarios and its run history (spec, teardown). */
  remove(id: string): Promise<void>;
  /** A new executor key; the old one ends at once. */
  rotateKey(id: string): Promise<{ executor_key: string }>;
};

/** The catalogue of each instance, with revisions. A text with diagnostics of severity error is refused. */
export type Catalogue = {
  list(instance: string, page: PageQuery): Promise<Page<ScenarioEntry>>;
  get(instance: string, scenario: string, revision?: number): Promise<ScenarioDocument>;
  history(instance: string, scenario: string): Promise<ScenarioEntry[]>;
  /** The scenario's ID must be `scenario`. Writing the text it already has changes nothing. */
  write(instance: string, scenario: string, input: ScenarioWrite, actor: Actor): Promise<ScenarioDocument>;
  remove(instance: string, scenario: string): Promise<void>;
};

/** Runs as people see them. */
export type Runs = {
  /** Committed before it resolves. `idempotencyKey` repeated within a day gives the runs of the first time. */
  request(instance: string, input: RunsNew, actor: Actor, idempotencyKey?: string): Promise<Run[]>;
  list(filter: RunFilter, page: PageQuery): Promise<Page<Run>>;
  get(runId: string): Promise<RunDocument>;
  /** Resolves when the run is final, or after `waitMs` with what is known then. */
  wait(runId: string, waitMs: number, signal?: AbortSignal): Promise<Run>;
  /** A queued run ends at once; a leased one is asked to stop. A final one stays as it is: RUN_FINAL. */
  cancel(runId: string): Promise<Run>;
  report(runId: string): Promise<Report>;
  /** The instance of a run. Throws RUN_UNKNOWN. */
  instanceOf(runId: string): Promise<string>;
};

/** What changed since `sinceSeq`, oldest first, merged per thing; `seq` is where the next call goes on. */
export type Changes = {
  /** The newest sequence number. */
  head(): Promise<number>;
  since(sinceSeq: number, instance: string | undefined, limit: number): Promise<{ events: ChangeEvent[]; seq: number }>;
  /** Calls `listener` after each commit that changed something; the returned function stops that. */
  onCommit(listener: () => void): () => void;
};

/** Health and counters, for /readyz and /metrics. */
export type ControlGauges = {
  /** Throws STORE_UNUSABLE when the store does not answer. */
  ready(): Promise<void>;
  /** Runs waiting and running, per instance. */
  queues(): Promise<{ instance: string; queued: number; running: number; seenAgoMs: number | null }[]>;
  /** Totals since the process started. */
  totals(): { requested: number; passed: number; failed: number; cancelled: number; executorsLost: number };
};

/** All of it. `executorOf` is what one instance's executor may call. */
export type Control = {
  readonly instances: Instances;
  readonly catalogue: Catalogue;
  readonly runs: Runs;
  readonly statistics: StatisticsOf;
  readonly changes: Changes;
  readonly gauges: ControlGauges;
  executorOf(instance: string): ControlPort;
  /** What a bearer token stands for; undefined when it is not known. */
  authenticate(token: string): Promise<Credential | undefined>;
  /** Ends waits, writes what is pending, closes the store. */
  close(): Promise<void>;
};
