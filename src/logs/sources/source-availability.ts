/** Whether lines of a source can be read, and the callers that wait for it. */

import type { Clock } from '../../environment/clock.ts';
import { Listeners } from '../../listeners/listeners.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import type { LogUnavailable } from '../log-source.ts';

/** Starts as unavailable, because nothing has been read yet. */
export class SourceAvailability {
  readonly #clock: Pick<Clock, 'sleep'>;
  #problem: LogUnavailable | undefined;
  #canMissLines = true;
  readonly #listeners = new Listeners();

  constructor(clock: Pick<Clock, 'sleep'>, problem: LogUnavailable) {
    this.#clock = clock;
    this.#problem = problem;
  }

  get problem(): LogUnavailable | undefined {
    return this.#problem;
  }

  /**
   * Undefined: lines can be read. `canMissLines`: false when lines written in the meantime will be read later, or when
   * there are none.
   */
  set(problem: LogUnavailable | undefined, canMissLines = true): void {
    this.#problem = problem && { ...problem };
    this.#canMissLines = problem !== undefined && canMissLines && problem.isFinal !== true;
    if (!this.#canMissLines) this.#listeners.notify();
  }

  /** Resolves when no further line can be missed, or after `timeoutMs`. Keeps the process alive. */
  async ready(timeoutMs: number): Promise<void> {
    if (!this.#canMissLines) return;
    const change = new AbortController();
    const stopListening = this.#listeners.add(() => change.abort());
    await pauseUntilAborted(this.#clock, timeoutMs, change.signal);
    stopListening();
  }
}
