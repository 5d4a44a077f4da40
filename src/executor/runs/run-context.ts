/** What the runs of one target share, and one run's part of it. */
import type { SelectElements, ValidateSchema } from '../../check/observation.ts';
import type { Clock } from '../../environment/clock.ts';
import type { TargetDispatcher } from '../../outbound/target-dispatcher.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { ExecutionFailure } from '../../run/evidence.ts';
import type { RunRequest } from '../../run/run-request.ts';
import type { BindValues } from '../../scenario/bind.ts';
import type { CapturedValue } from '../../scenario/capture.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { EvidenceWaitTimes } from '../evidence/collect-evidence.ts';
import type { createGrantNotes, EvidenceSources } from '../evidence/evidence-sources.ts';
import type { VersionReader } from '../evidence/version-reader.ts';
import type { GrpcSchemas } from '../grpc/load-schema.ts';
import type { Concealment, createConcealmentFactory } from '../redaction/concealment.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { RunRedaction } from '../redaction/run-redaction.ts';
import type { ChainJournal } from './chain-journal.ts';
import type { createScenarioCache } from './scenario-cache.ts';

/** Shared by all runs of one target. */
export type RunnerOptions = {
  readonly project: ProjectConfig;
  readonly dispatcher: TargetDispatcher;
  readonly clock: Clock;
  /** Version of this build; sent to the target as `User-Agent: vp/<version>`. */
  readonly version: string;
  /**
   * Which placeholders a text may use. Any by default: only those of the config have values here, and a name without
   * one fails the run as `secret_missing`, with a fix, instead of as an unreadable text.
   */
  readonly placeholders?: ParseOptions;
  /** Log and database; without them the response is the only evidence. */
  readonly evidenceSources?: EvidenceSources | undefined;
  readonly evidenceWaitTimes?: EvidenceWaitTimes;
};

/**
 * `signal` cancels. `beforeSend` is called immediately before the first byte of each request but those of the cleanup (see
 * send-request.ts). `journal` notes the requests of a run that has several.
 */
export type ExecuteOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly beforeSend?: (() => ExecutionFailure | undefined) | undefined;
  readonly journal?: ChainJournal | undefined;
};

/** `isCopy`: the journal may be an older copy, so that it does not say what was sent since. */
export type RecoverOptions = { readonly journal: ChainJournal; readonly isCopy: boolean };

export type RunnerContext = RunnerOptions & {
  readonly origin: string;
  /** The compose service of the target, if its address or the read logs name one. */
  readonly targetService: string | undefined;
  readonly bearerToken: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly redactor: Redactor;
  /** The secrets that checks may see. */
  readonly visibleSecrets: readonly string[];
  readonly createConcealment: ReturnType<typeof createConcealmentFactory>;
  readonly parseScenario: ReturnType<typeof createScenarioCache>;
  /** The same for all runs, so that each schema is compiled once. */
  readonly loadSchemaValidator: () => Promise<ValidateSchema>;
  readonly loadElementSelector: () => Promise<SelectElements>;
  /** Undefined where the config does not say how the target names its version. */
  readonly readVersion: VersionReader | undefined;
  /** Undefined without a database. */
  readonly readGrantNotes: ReturnType<typeof createGrantNotes> | undefined;
};

/** When the executor started to process a run, by both clocks. */
export type RunStart = { readonly startedAtMs: number; readonly startMonotonicMs: number };

export function readRunStart({ clock }: Pick<RunnerContext, 'clock'>): RunStart {
  return { startedAtMs: clock.nowMs(), startMonotonicMs: clock.monotonicMs() };
}

/** One run in progress, or one case of it. */
export type ActiveRun = {
  readonly context: RunnerContext;
  readonly request: RunRequest;
  readonly scenario: Scenario;
  readonly start: RunStart;
  readonly options: ExecuteOptions;
  readonly conceal: Concealment['conceal'];
  readonly redaction: RunRedaction;
  /** Grows with each response. */
  readonly captures: Map<string, CapturedValue>;
  /** Names in `captures` whose values are never displayed or stored. */
  readonly withheld: Set<string>;
  readonly journal: ChainJournal | undefined;
  readonly grpcSchemas: GrpcSchemas;
  /** The text that the log's lines of this run have, or of this case of it. */
  readonly logMark: string;
};

export function getBindValues({ context, request, captures }: ActiveRun): BindValues {
  const { origin, variables } = context;
  return { origin, correlationId: request.correlationId, variables, captures };
}

/** Without the values that the config passes to scenarios: scenarios may use and therefore read those. */
export function listTargetSecrets({ secretValues, scenarioVariables }: ProjectConfig): string[] {
  const scenarioValues = new Set([...scenarioVariables.values()].map((value) => value.reveal()));
  return secretValues.filter((value) => !scenarioValues.has(value));
}
