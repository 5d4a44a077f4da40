/**
 * After the answer: reads the run's lines from the log and asks the scenario's queries, again until they satisfy its checks or
 * the time is up. What an application does behind its answer is seldom done when the answer arrives.
 */
import type { ObservedLog } from '../check/observed.ts';
import type { Clock } from '../environment/clock.ts';
import type { LogWatch } from '../logs/log-source.ts';
import type { LogEvidence, QueryEvidence } from '../run/evidence.ts';

/** How long is waited, in milliseconds. */
export type CollectTimes = {
  /** For evidence that a check asks for. */
  readonly checkedMs: number;
  /** For a first line of the log that no check asks for; it is told, and changes no result. */
  readonly firstLineMs: number;
  /** Without a further line for so long, the log counts as complete: where a check looks at it, and where none does. */
  readonly quietCheckedMs: number;
  readonly quietMs: number;
};

/** What holds in production. */
export const collectTimes: CollectTimes = { checkedMs: 5000, firstLineMs: 1000, quietCheckedMs: 150, quietMs: 20 };

/** What was found beside the answer. */
export type Collected = {
  readonly log: LogEvidence | undefined;
  readonly queries: readonly QueryEvidence[] | undefined;
  readonly evidenceMs: number | undefined;
};

type Found = Pick<Collected, 'log' | 'queries'>;

/** What to collect, and how. */
export type CollectOptions = {
  readonly clock: Clock;
  readonly times: CollectTimes;
  /** Undefined where there is no log to look at. */
  readonly watch: LogWatch | undefined;
  /** Reads what the watch has seen; undefined where nobody looks and no check asks. */
  readonly readLog: () => ObservedLog | undefined;
  /** True where checks look at the log. */
  readonly logChecked: boolean;
  /** Whether the log has ended, so that no line will come to it any more. */
  readonly logIsOver: () => boolean;
  /** Asks every query once; undefined where the scenario has none. */
  readonly ask: ((signal: AbortSignal | undefined) => Promise<readonly QueryEvidence[]>) | undefined;
  /** Whether every check of the log and the database holds. */
  readonly holds: (found: Found) => boolean;
  /** Whether every check of the database holds. */
  readonly queriesHold: (queries: readonly QueryEvidence[]) => boolean;
  /** Whether a check lacks what waiting cannot bring. */
  readonly isHopeless: (found: Found) => boolean;
  readonly signal?: AbortSignal | undefined;
};

const firstPauseMs = 10;
const longestPauseMs = 400;

/** Collects. Rejects only with what `readLog`, `ask` and `holds` throw; an aborted `signal` ends it with what there is. */
export async function collect(options: CollectOptions): Promise<Collected> {
  const { clock, ask } = options;
  if (!options.watch && !ask && !options.readLog()) {
    return { log: undefined, queries: undefined, evidenceMs: undefined };
  }
  return new Collection(options, clock.monotonicMs()).run();
}

class Collection {
  readonly #options: CollectOptions;
  readonly #startMs: number;
  #seen = 0;
  #seenAtMs: number;
  #queries: readonly QueryEvidence[] | undefined;
  #askAgainMs = 0;
  #askPauseMs = firstPauseMs;
  #found: Found = { log: undefined, queries: undefined };

  constructor(options: CollectOptions, startMs: number) {
    this.#options = options;
    this.#startMs = startMs;
    this.#seenAtMs = startMs;
  }

  async run(): Promise<Collected> {
    const { signal } = this.#options;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      await this.#look();
      const leftMs = this.#limitMs() - this.#elapsedMs();
      if (this.#isComplete() || leftMs <= 0 || signal?.aborted) break;
      await this.#pause(Math.min(pauseMs, leftMs, this.#untilAskMs()));
    }
    return { ...this.#found, evidenceMs: this.#elapsedMs() };
  }

  async #look(): Promise<void> {
    const { readLog, watch, clock } = this.#options;
    await this.#ask();
    const lineCount = watch?.lines.length ?? 0;
    if (lineCount !== this.#seen) this.#seenAtMs = clock.monotonicMs();
    this.#seen = lineCount;
    const observed = readLog();
    const log = observed && { observed, waitedMs: this.#elapsedMs() };
    this.#found = { log, queries: this.#queries };
  }

  /** Not at each line of a log that is being written, and not again once their checks hold. */
  async #ask(): Promise<void> {
    const { ask, signal } = this.#options;
    if (!ask || this.#untilAskMs() > 0) return;
    this.#queries = await ask(signal);
    this.#askAgainMs = this.#elapsedMs() + this.#askPauseMs;
    this.#askPauseMs = Math.min(this.#askPauseMs * 2, longestPauseMs);
  }

  /** Infinity where nothing will be asked. */
  #untilAskMs(): number {
    const { ask, queriesHold } = this.#options;
    if (!ask || (this.#queries && queriesHold(this.#queries))) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#askAgainMs - this.#elapsedMs());
  }

  #isComplete(): boolean {
    const { holds, isHopeless, logChecked, logIsOver, watch, times } = this.#options;
    if (!holds(this.#found) && !isHopeless(this.#found)) return false;
    if (!watch || this.#found.log?.observed.kind !== 'lines' || logIsOver()) return true;
    const quietMs = this.#options.clock.monotonicMs() - this.#seenAtMs;
    return this.#seen > 0 && quietMs >= (logChecked ? times.quietCheckedMs : times.quietMs);
  }

  #limitMs(): number {
    const { times, logChecked, logIsOver, ask, isHopeless } = this.#options;
    if (isHopeless(this.#found)) return times.firstLineMs;
    const isAsking = ask !== undefined && this.#untilAskMs() !== Number.POSITIVE_INFINITY;
    if (logIsOver() && !isAsking) return 0;
    return logChecked || (ask && !this.#options.holds(this.#found)) ? times.checkedMs : times.firstLineMs;
  }

  async #pause(pauseMs: number): Promise<void> {
    const { watch, clock, signal } = this.#options;
    if (watch) await watch.changed(pauseMs, signal);
    else await clock.sleep(pauseMs, signal).catch(() => undefined);
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonicMs() - this.#startMs;
  }
}
