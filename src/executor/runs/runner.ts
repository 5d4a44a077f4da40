/** Executes one run from its request to its report: parse, bind, send, judge, redact. */
import type { Clock } from '../../environment/clock.ts';
import { VpError } from '../../errors/vp-error.ts';
import { createFailureVerdict } from '../../judge/judge.ts';
import type { TargetDispatcher } from '../../outbound/target-dispatcher.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import { buildReport } from '../../report/build/build-report.ts';
import type { Report } from '../../report/report.ts';
import type { Evidence, ExecutionFailure } from '../../run/evidence.ts';
import type { RunRequest } from '../../run/run-request.ts';
import { type BoundRequest, bindTrigger } from '../../scenario/bind.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { defaultEvidenceWaitTimes, type EvidenceWaitTimes } from '../evidence/collect-evidence.ts';
import { createGrantNotes, type EvidenceSources } from '../evidence/evidence-sources.ts';
import { type EvidenceObserver, type EvidenceObserverOptions, observeEvidence } from '../evidence/observe-evidence.ts';
import { createFailure } from '../execution-failure.ts';
import { concealedSecretNote, createConcealmentFactory, filterConcealable } from '../redaction/concealment.ts';
import { redactEvidence, redactProof, redactVerdict } from '../redaction/redact-report.ts';
import { createRedactor } from '../redaction/redactor.ts';
import { readResponse } from '../response/read-response.ts';
import { sendRequest } from '../trigger/send-request.ts';
import { formatAddress } from '../trigger/target-address.ts';
import { buildHeaders, toSentRequest, toWireRequest } from '../trigger/wire-request.ts';
import { judgeSafely, proveSafely } from './judge-safely.ts';
import { createScenarioCache, findFirstScenarioError } from './scenario-cache.ts';

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

/** `signal` cancels. `beforeSend` is called immediately before the first byte is sent (see send-request.ts). */
export type ExecuteOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly beforeSend?: (() => ExecutionFailure | undefined) | undefined;
};

/** Executes any number of runs concurrently. */
export type Runner = {
  /** Never rejects because of the target, the scenario or the config: such failures are in the report. */
  execute(request: RunRequest, options?: ExecuteOptions): Promise<Report>;
  /** The report of a run that is not executed because of `failure`. */
  refuse(request: RunRequest, failure: ExecutionFailure): Report;
};

export function createRunner(options: RunnerOptions): Runner {
  const database = options.evidenceSources?.database;
  const runnerContext: RunnerContext = {
    ...options,
    origin: options.project.targets.http.baseUrl,
    bearerToken: options.project.targets.auth?.bearerToken.reveal(),
    variables: Object.fromEntries(
      [...options.project.scenarioVariables].map(([name, value]) => [name, value.reveal()]),
    ),
    redactor: createRedactor(options.project.secretValues, listSecretsVisibleToChecks(options.project)),
    createConcealment: createConcealmentFactory(listTargetSecrets(options.project)),
    parseScenario: createScenarioCache(options.placeholders ?? { variables: 'any' }),
    readGrantNotes: database && createGrantNotes(database, options.project.targets.database?.username ?? ''),
  };
  return {
    execute: (request, executeOptions = {}) => executeRun(runnerContext, request, executeOptions),
    refuse: (request, failure) =>
      createUnsentReport(
        runnerContext,
        request,
        readRunStart(runnerContext),
        failure,
        runnerContext.parseScenario(request.scenarioText).scenario,
      ),
  };
}

/** Without the values that the config passes to scenarios: scenarios may use and therefore read those. */
function listTargetSecrets({ secretValues, scenarioVariables }: ProjectConfig): string[] {
  const scenarioValues = new Set([...scenarioVariables.values()].map((value) => value.reveal()));
  return secretValues.filter((value) => !scenarioValues.has(value));
}

function listSecretsVisibleToChecks(project: ProjectConfig): string[] {
  const concealed = new Set(filterConcealable(listTargetSecrets(project)));
  return project.secretValues.filter((value) => !concealed.has(value));
}

type RunnerContext = RunnerOptions & {
  readonly origin: string;
  readonly bearerToken: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly redactor: ReturnType<typeof createRedactor>;
  readonly createConcealment: ReturnType<typeof createConcealmentFactory>;
  readonly parseScenario: ReturnType<typeof createScenarioCache>;
  /** Undefined without a database. */
  readonly readGrantNotes: ReturnType<typeof createGrantNotes> | undefined;
};

/** When the executor started to process a run, by both clocks. */
type RunStart = { readonly startedAtMs: number; readonly startMonotonicMs: number };

function readRunStart({ clock }: RunnerContext): RunStart {
  return { startedAtMs: clock.nowMs(), startMonotonicMs: clock.monotonicMs() };
}

async function executeRun(context: RunnerContext, request: RunRequest, options: ExecuteOptions): Promise<Report> {
  const start = readRunStart(context);
  const parsed = context.parseScenario(request.scenarioText);
  const { scenario } = parsed;
  if (!scenario)
    return createUnsentReport(
      context,
      request,
      start,
      createFailure('EXECUTOR_SCENARIO_UNREADABLE', findFirstScenarioError(parsed)),
    );
  const boundRequest = bindRequest(context, request, scenario);
  if ('kind' in boundRequest) return createUnsentReport(context, request, start, boundRequest, scenario);
  const { conceal, hasConcealed } = context.createConcealment();
  const observer = observeEvidence(toObserverOptions(context, request, scenario, conceal, options.signal));
  const evidence = {
    ...(await sendAndObserve(context, request, scenario, boundRequest, start, options, observer)),
    conceal,
  };
  const judged = judgeSafely(scenario, evidence, formatAddress(context.origin));
  const grantNotes = evidence.queries && context.readGrantNotes ? await context.readGrantNotes() : [];
  const notes = [...judged.notes, ...(hasConcealed() ? [concealedSecretNote] : []), ...grantNotes];
  const verdict = redactVerdict({ ...judged, notes }, context.redactor);
  const proof = request.prove ? redactProof(proveSafely(judged, evidence), context.redactor) : undefined;
  const redactedEvidence = redactEvidence(evidence, context.redactor);
  return buildReport(request, scenario, verdict, redactedEvidence, context.version, proof);
}

function toObserverOptions(
  context: RunnerContext,
  request: RunRequest,
  scenario: Scenario,
  conceal: Evidence['conceal'],
  signal: AbortSignal | undefined,
): EvidenceObserverOptions {
  const {
    origin,
    variables,
    evidenceSources: sources = {},
    clock,
    project,
    evidenceWaitTimes: waitTimes = defaultEvidenceWaitTimes,
  } = context;
  const values = { origin, correlationId: request.correlationId, variables };
  return { sources, clock, waitTimes, lineFormat: project.logstore, conceal, scenario, request, values, signal };
}

function bindRequest(
  { origin, variables }: RunnerContext,
  { correlationId }: RunRequest,
  scenario: Scenario,
): BoundRequest | ExecutionFailure {
  try {
    return bindTrigger(scenario, { origin, correlationId, variables });
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { kind: 'secret_missing', message: error.message, cure: error.cure };
  }
}

async function sendAndObserve(
  context: RunnerContext,
  { correlationId }: RunRequest,
  { timeoutMs }: Scenario,
  boundRequest: BoundRequest,
  { startedAtMs, startMonotonicMs }: RunStart,
  options: ExecuteOptions,
  observer: EvidenceObserver,
): Promise<Evidence> {
  const { clock, dispatcher, origin, bearerToken, redactor, version, project } = context;
  const { baseUrlSource } = project.targets.http;
  const headers = buildHeaders(boundRequest, { correlationId, bearerToken, userAgent: `vp/${version}` });
  const wire = toWireRequest(boundRequest, origin, headers);
  try {
    const result = await sendRequest(wire, {
      dispatcher,
      clock,
      startMonotonicMs,
      timeoutMs,
      baseUrlSource,
      ...options,
    });
    const { response, failure: responseFailure } = await readResponse(result, origin, redactor);
    const { log, queries, evidenceMs, failure } = await observer.collect({ response, failure: responseFailure });
    const wasSent = result.timings.connectMs !== undefined;
    const request = wasSent ? toSentRequest(wire, headers, boundRequest.body, redactor) : undefined;
    const timings = { ...result.timings, evidenceMs };
    return { startedAtMs, request, response, failure: failure, log, queries, timings };
  } finally {
    observer.stop();
  }
}

/** The report of a run for which nothing could be sent. */
function createUnsentReport(
  context: RunnerContext,
  request: RunRequest,
  start: RunStart,
  failure: ExecutionFailure,
  scenario?: Scenario,
): Report {
  const totalMs = context.clock.monotonicMs() - start.startMonotonicMs;
  const timings = { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined, totalMs };
  const { startedAtMs } = start;
  const evidence: Evidence = { startedAtMs, request: undefined, response: undefined, failure: failure, timings };
  const verdict = redactVerdict(createFailureVerdict(failure, scenario), context.redactor);
  return buildReport(request, scenario, verdict, evidence, context.version);
}
