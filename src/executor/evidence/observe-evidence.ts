/**
 * Collects log and database evidence of one run: watches the log from before the request, runs the queries after it.
 */
import type { ObservedLog } from '../../check/observation.ts';
import type { Clock } from '../../environment/clock.ts';
import {
  createAbsentEvidence,
  databaseHolds,
  findRequiredEvidence,
  isEvidenceDecided,
  isEvidenceUnattainable,
} from '../../judge/evidence-checks.ts';
import { createLogObserver } from '../../logs/lines/observed-log.ts';
import type { LogLineFormat } from '../../logs/lines/parse-log-line.ts';
import type { LogSource, LogWatch } from '../../logs/log-source.ts';
import type { ExecutionFailure, ReceivedResponse } from '../../run/evidence.ts';
import type { RunRequest } from '../../run/run-request.ts';
import type { BindValues } from '../../scenario/bind.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { createFailure } from '../execution-failure.ts';
import type { Concealment } from '../redaction/concealment.ts';
import { type CollectedEvidence, collectEvidence, type EvidenceWaitTimes } from './collect-evidence.ts';
import type { EvidenceSources } from './evidence-sources.ts';
import { runQueries } from './run-queries.ts';

export type EvidenceObserverOptions = {
  readonly sources: EvidenceSources;
  readonly clock: Clock;
  readonly waitTimes: EvidenceWaitTimes;
  /** How lines are parsed; lines are found even when the config has no `logstore`. */
  readonly lineFormat: LogLineFormat | undefined;
  /** The compose service whose image is the target's. */
  readonly targetService: string | undefined;
  readonly conceal: Concealment['conceal'];
  readonly scenario: Scenario;
  readonly request: RunRequest;
  readonly values: BindValues;
  /** What every line of the run holds, `tr-<run id>`, or of one of its cases. */
  readonly logMark: string;
  /** When the run began, by the monotonic clock. */
  readonly startMonotonicMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** How the request ended. */
type RequestResult = {
  readonly response: ReceivedResponse | undefined;
  readonly failure: ExecutionFailure | undefined;
};

/** An observation that started before the request was sent. */
export type EvidenceObserver = {
  /**
   * Call after the response or failure. Never rejects. The resulting failure is that of `requestResult`, or a
   * cancellation that interrupted pending checks. `scenario` has the checks with what was captured since the start.
   */
  collect(
    requestResult: RequestResult & { readonly scenario?: Scenario },
  ): Promise<CollectedEvidence & Pick<RequestResult, 'failure'>>;
  /** Stops watching; call it in every case. */
  stop(): void;
};

const noEvidence: CollectedEvidence = { log: undefined, queries: undefined, evidenceMs: undefined };

/** Starts to watch the log for lines of this run. */
export function observeEvidence(options: EvidenceObserverOptions): EvidenceObserver {
  const { sources, logMark } = options;
  const watch = sources.log?.watch(logMark);
  return {
    async collect({ response, failure, scenario = options.scenario }) {
      if (failure?.kind === 'cancelled' || failure?.kind === 'secret_missing') return { ...noEvidence, failure };
      const bound = { ...options, scenario };
      const collected = await collectAfterRequest(bound, watch, failure ? undefined : response);
      return { ...collected, failure: failure ?? createCancelledFailure(bound, collected) };
    },
    stop: () => watch?.stop(),
  };
}

/** Interrupted evidence says nothing about the target; evidence that was already complete does. */
function createCancelledFailure(
  { signal, scenario, conceal }: EvidenceObserverOptions,
  collected: CollectedEvidence,
): ExecutionFailure | undefined {
  if (!signal?.aborted || isEvidenceDecided(scenario, { ...collected, conceal })) return undefined;
  return createFailure('EXECUTOR_RUN_CANCELLED', { when: 'while its log and database were being read' });
}

/** After a failure the log may explain it; checks are not judged then, so nothing waits for them. */
function collectAfterRequest(
  options: EvidenceObserverOptions,
  watch: LogWatch | undefined,
  response: ReceivedResponse | undefined,
): Promise<CollectedEvidence> {
  const { scenario, clock, waitTimes, values, sources, conceal, startMonotonicMs, signal } = options;
  const { queries, timeoutMs } = scenario;
  const { database } = sources;
  const nowMs = clock.nowMs();
  const hasLogChecks = response !== undefined && findRequiredEvidence(scenario).log;
  const queryOptions =
    response && queries.length > 0
      ? { queries, database, values, body: response.body, clock, conceal, timeoutMs, startMonotonicMs }
      : undefined;
  return collectEvidence({
    clock,
    waitTimes,
    watch,
    readLog: createLogReader(options, watch, hasLogChecks),
    hasLogChecks,
    isLogEnded: () => sources.log?.getProblem()?.isFinal === true,
    runQueries: queryOptions && ((querySignal) => runQueries(queryOptions, querySignal)),
    areChecksDecided: (observed) =>
      response === undefined || isEvidenceDecided(scenario, { ...observed, conceal, nowMs }),
    queryChecksHold: (queryEvidence) => databaseHolds(scenario, { queries: queryEvidence, conceal, nowMs }),
    isUnattainable: (observed) => isEvidenceUnattainable(scenario, { ...observed, conceal, nowMs }),
    signal,
  });
}

function createLogReader(
  { sources: { log }, lineFormat, targetService = '', conceal, logMark, startMonotonicMs }: EvidenceObserverOptions,
  watch: LogWatch | undefined,
  hasLogChecks: boolean,
): () => ObservedLog | undefined {
  if (!log || !watch) {
    if (!hasLogChecks) return () => undefined;
    const absentLog: ObservedLog = { ...createAbsentEvidence('EVIDENCE_LOG_ABSENT'), isFinal: true };
    return () => absentLog;
  }
  const redact = conceal ?? ((text: string) => text);
  const observe = createLogObserver({ format: lineFormat, runId: logMark, redact, startMonotonicMs });
  return () =>
    (watch.lines.length === 0 ? toUnavailableLog(log) : undefined) ?? {
      ...observe(watch.lines, !log.hasGivenLines(), watch.timesMs),
      processStartedAtMs: watch.processStartedAtMs,
      image: watch.images?.get(targetService),
    };
}

/** Lines that were seen count, even if the log became unavailable since. */
function toUnavailableLog(log: LogSource): ObservedLog | undefined {
  const unavailable = log.getProblem();
  return unavailable && { kind: 'unavailable', ...unavailable };
}
