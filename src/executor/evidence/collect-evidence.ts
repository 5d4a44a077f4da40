/**
 * After the response: reads the run's log lines and runs the scenario's queries repeatedly until their checks are decided or
 * the time is up, because applications often finish work after they respond.
 */

import type { ObservedLog } from '../../check/observation.ts';
import type { Clock } from '../../environment/clock.ts';
import type { LogWatch } from '../../logs/log-source.ts';
import type { LogEvidence, QueryEvidence } from '../../run/evidence.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';

/** Wait times in milliseconds. */
export type EvidenceWaitTimes = {
  /** For evidence that a check requires. */
  readonly checkedMs: number;
  /** For a first log line when no check requires one; it is reported and does not change the result. */
  readonly firstLineMs: number;
  /**
   * The log counts as complete after this time without a further line, when a check reads it (`quietCheckedMs`) and
   * when none does.
   */
  readonly quietCheckedMs: number;
  readonly quietMs: number;
};

export const defaultEvidenceWaitTimes: EvidenceWaitTimes = {
  checkedMs: 5000,
  firstLineMs: 1000,
  quietCheckedMs: 150,
  quietMs: 20,
};

export type CollectedEvidence = {
  readonly log: LogEvidence | undefined;
  readonly queries: readonly QueryEvidence[] | undefined;
  readonly evidenceMs: number | undefined;
};

type ObservedEvidence = Pick<CollectedEvidence, 'log' | 'queries'>;

export type CollectEvidenceOptions = {
  readonly clock: Clock;
  readonly waitTimes: EvidenceWaitTimes;
  /** Undefined when there is no log. */
  readonly watch: LogWatch | undefined;
  /** Reads the lines seen so far; returns undefined when there is no log and no check requires one. */
  readonly readLog: () => ObservedLog | undefined;
  /** True when checks read the log. */
  readonly hasLogChecks: boolean;
  /** True when the log has ended, so that no further line will arrive. */
  readonly isLogEnded: () => boolean;
  /** Runs every query once; undefined when the scenario has none. */
  readonly runQueries: ((signal: AbortSignal | undefined) => Promise<readonly QueryEvidence[]>) | undefined;
  /** True when every log and database check holds, or has failed for good. */
  readonly areChecksDecided: (observed: ObservedEvidence) => boolean;
  /** True when every database check holds. */
  readonly queryChecksHold: (queries: readonly QueryEvidence[]) => boolean;
  /** True when a check requires evidence that waiting cannot provide. */
  readonly isUnattainable: (observed: ObservedEvidence) => boolean;
  readonly signal?: AbortSignal | undefined;
};

const firstPauseMs = 10;
const maxPauseMs = 400;

/**
 * Rejects only with what `readLog`, `runQueries` and `areChecksDecided` throw; when `signal` aborts, returns what there is.
 */
export async function collectEvidence(options: CollectEvidenceOptions): Promise<CollectedEvidence> {
  const { clock, runQueries } = options;
  if (!options.watch && !runQueries && !options.readLog()) {
    return { log: undefined, queries: undefined, evidenceMs: undefined };
  }
  return new EvidenceCollection(options, clock.monotonicMs()).run();
}

class EvidenceCollection {
  readonly #options: CollectEvidenceOptions;
  readonly #startMs: number;
  #lineCount = 0;
  #lastLineAtMs: number;
  #queries: readonly QueryEvidence[] | undefined;
  #nextQueryAtMs = 0;
  #queryPauseMs = firstPauseMs;
  #evidence: ObservedEvidence = { log: undefined, queries: undefined };

  constructor(options: CollectEvidenceOptions, startMs: number) {
    this.#options = options;
    this.#startMs = startMs;
    this.#lastLineAtMs = startMs;
  }

  async run(): Promise<CollectedEvidence> {
    const { signal } = this.#options;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      await this.#observe();
      const remainingMs = this.#limitMs() - this.#elapsedMs();
      if (this.#isComplete() || remainingMs <= 0 || signal?.aborted) break;
      await this.#pause(Math.min(pauseMs, remainingMs, this.#untilNextQueryMs()));
    }
    return { ...this.#evidence, evidenceMs: this.#elapsedMs() };
  }

  async #observe(): Promise<void> {
    const { readLog, watch, clock } = this.#options;
    await this.#runDueQueries();
    const lineCount = watch?.lines.length ?? 0;
    if (lineCount !== this.#lineCount) this.#lastLineAtMs = clock.monotonicMs();
    this.#lineCount = lineCount;
    const observed = readLog();
    const log = observed && { observed, waitedMs: this.#elapsedMs() };
    this.#evidence = { log, queries: this.#queries };
  }

  /** Queries do not run for each new log line, and not again once their checks hold. */
  async #runDueQueries(): Promise<void> {
    const { runQueries, signal } = this.#options;
    if (!runQueries || this.#untilNextQueryMs() > 0) return;
    this.#queries = await runQueries(signal);
    this.#nextQueryAtMs = this.#elapsedMs() + this.#queryPauseMs;
    this.#queryPauseMs = Math.min(this.#queryPauseMs * 2, maxPauseMs);
  }

  /** Infinity when no query is due. */
  #untilNextQueryMs(): number {
    const { runQueries, queryChecksHold } = this.#options;
    if (!runQueries || (this.#queries && queryChecksHold(this.#queries))) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#nextQueryAtMs - this.#elapsedMs());
  }

  #isComplete(): boolean {
    const { areChecksDecided, isUnattainable, hasLogChecks, isLogEnded, watch, waitTimes } = this.#options;
    if (!areChecksDecided(this.#evidence) && !isUnattainable(this.#evidence)) return false;
    if (!watch || this.#evidence.log?.observed.kind !== 'lines' || isLogEnded()) return true;
    const quietMs = this.#options.clock.monotonicMs() - this.#lastLineAtMs;
    return this.#lineCount > 0 && quietMs >= (hasLogChecks ? waitTimes.quietCheckedMs : waitTimes.quietMs);
  }

  #limitMs(): number {
    const { waitTimes, hasLogChecks, isLogEnded, runQueries, isUnattainable } = this.#options;
    if (isUnattainable(this.#evidence)) return waitTimes.firstLineMs;
    const isQuerying = runQueries !== undefined && this.#untilNextQueryMs() !== Number.POSITIVE_INFINITY;
    if (isLogEnded() && !isQuerying) return 0;
    return hasLogChecks || (runQueries && !this.#options.areChecksDecided(this.#evidence))
      ? waitTimes.checkedMs
      : waitTimes.firstLineMs;
  }

  async #pause(pauseMs: number): Promise<void> {
    const { watch, clock, signal } = this.#options;
    if (watch) await watch.changed(pauseMs, signal);
    else await pauseUntilAborted(clock, pauseMs, signal);
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonicMs() - this.#startMs;
  }
}
