/** Reads what the target did beside its answer: watches its log from before the request, asks its database after it. */
import type { ObservedLog } from '../check/observed.ts';
import type { Clock } from '../environment/clock.ts';
import { absentEvidence, databaseHolds, evidenceHolds, evidenceNeeded, isHopeless } from '../judge/evidence-checks.ts';
import type { LogSource, LogWatch } from '../logs/log-source.ts';
import { logObserver } from '../logs/observed-log.ts';
import type { LineReading } from '../logs/read-run-line.ts';
import type { Fault, ReceivedResponse } from '../run/evidence.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { BindValues } from '../scenario/bind.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { askQueries } from './ask-queries.ts';
import { type Collected, type CollectTimes, collect } from './collect.ts';
import type { Concealment } from './conceal.ts';
import { faultOf } from './fault.ts';
import type { Witnesses } from './witnesses.ts';

/** What looking beside the answer of one run takes. */
export type BesideOptions = {
  readonly witnesses: Witnesses;
  readonly clock: Clock;
  readonly times: CollectTimes;
  /** How lines are read; without a config's `logstore` they are found all the same. */
  readonly reading: LineReading | undefined;
  readonly conceal: Concealment['conceal'];
  readonly scenario: Scenario;
  readonly request: RunRequest;
  readonly values: BindValues;
  readonly signal?: AbortSignal | undefined;
};

/** How the request ended. */
type Heard = { readonly response: ReceivedResponse | undefined; readonly fault: Fault | undefined };

/** A look that began before the request was sent. */
export type Beside = {
  /** After the answer, or instead of one. Never rejects. Its fault is that of `heard`, or a cancel that left checks waiting. */
  collect(heard: Heard): Promise<Collected & Pick<Heard, 'fault'>>;
  /** Ends watching; to be called whatever happened. */
  end(): void;
};

const plainReading: LineReading = { levelField: 'level', errorMatch: undefined, sagaEvent: undefined };
const nothing: Collected = { log: undefined, queries: undefined, evidenceMs: undefined };

/** Begins to watch the log for the lines of this run. */
export function lookBeside(options: BesideOptions): Beside {
  const { witnesses, request } = options;
  const watch = witnesses.log?.watch(`tr-${request.runId}`);
  return {
    async collect({ response, fault }) {
      if (fault?.kind === 'cancelled' || fault?.kind === 'secret_missing') return { ...nothing, fault };
      const found = await collectAll(options, watch, fault ? undefined : response);
      return { ...found, fault: fault ?? cancelledMeanwhile(options, found) };
    },
    end: () => watch?.end(),
  };
}

/** What was cut short tells nothing of the target; what was complete by then does. */
function cancelledMeanwhile({ signal, scenario, conceal }: BesideOptions, found: Collected): Fault | undefined {
  if (!signal?.aborted || evidenceHolds(scenario, { ...found, conceal })) return undefined;
  return faultOf('EXECUTOR_RUN_CANCELLED', { when: 'while its log and database were being read' });
}

/** After a fault the log may say what happened; checks are not judged then, so nothing is waited for on their account. */
function collectAll(
  options: BesideOptions,
  watch: LogWatch | undefined,
  response: ReceivedResponse | undefined,
): Promise<Collected> {
  const { scenario, clock, times, values, witnesses, conceal, signal } = options;
  const { queries, timeoutMs: limitMs } = scenario;
  const { database } = witnesses;
  const logChecked = response !== undefined && evidenceNeeded(scenario).log;
  const asked =
    response && queries.length > 0
      ? { queries, database, values, body: response.body, clock, conceal, limitMs }
      : undefined;
  return collect({
    clock,
    times,
    watch,
    readLog: logReader(options, watch, logChecked),
    logChecked,
    logIsOver: () => witnesses.log?.trouble()?.isFinal === true,
    ask: asked && ((stop) => askQueries(asked, stop)),
    holds: (found) => response === undefined || evidenceHolds(scenario, { ...found, conceal }),
    queriesHold: (found) => databaseHolds(scenario, { queries: found, conceal }),
    isHopeless: (found) => isHopeless(scenario, { ...found, conceal }),
    signal,
  });
}

function logReader(
  { witnesses: { log }, reading, conceal }: BesideOptions,
  watch: LogWatch | undefined,
  checked: boolean,
): () => ObservedLog | undefined {
  if (!log || !watch) {
    const absent: ObservedLog = { ...absentEvidence('EVIDENCE_LOG_ABSENT'), isFinal: true };
    return () => (checked ? absent : undefined);
  }
  const observe = logObserver(reading ?? plainReading, conceal ?? ((text) => text));
  return () => (watch.lines.length === 0 ? troubleOf(log) : undefined) ?? observe(watch.lines);
}

/** Lines that were seen count, whatever became of the log since. */
function troubleOf(log: LogSource): ObservedLog | undefined {
  const trouble = log.trouble();
  return trouble && { kind: 'unavailable', ...trouble };
}
