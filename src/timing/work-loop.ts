import type { Clock } from '../environment/clock.ts';

/** The shortest wait between two runs without a call of `wake`. */
const minWaitMs = 10;

export type WorkLoopOptions = {
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  /** Does what is due, and returns when more will be due; undefined when only a call of `wake` can bring more. */
  readonly work: () => Promise<number | undefined>;
  /** The longest wait, also after a jump of the clock or a sleep of the machine. */
  readonly maxWaitMs: number;
  /** After an error. */
  readonly retryMs: number;
  readonly onError: (error: unknown) => void;
};

/** Runs `work` when it is woken and at the times that `work` returns, never twice at once, until it is stopped. */
export class WorkLoop {
  readonly #options: WorkLoopOptions;
  #isStopped = false;
  #isRunning = false;
  /** Something has changed since the current run began. */
  #isAwake = false;
  #cancelTimer = (): void => {};
  #current = Promise.resolve();

  constructor(options: WorkLoopOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Runs the work now, or once more when it is running. The first call starts the loop. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isAwake = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#cancelTimer();
    this.#current = this.#run();
  }

  /** Resolves when the current run has ended. Its errors are not reported any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#current;
  }

  async #run(): Promise<void> {
    let nextMs: number | undefined;
    do {
      this.#isAwake = false;
      nextMs = await this.#work();
    } while (this.#isAwake && !this.#isStopped);
    this.#isRunning = false;
    if (!this.#isStopped && nextMs !== undefined) this.#wakeAt(nextMs);
  }

  async #work(): Promise<number | undefined> {
    const { work, clock, retryMs, onError } = this.#options;
    try {
      return await work();
    } catch (error) {
      if (!this.#isStopped) onError(error);
      return clock.nowMs() + retryMs;
    }
  }

  /** Time has passed since `timeMs` was computed, and the clock may have jumped. */
  #wakeAt(timeMs: number): void {
    const { clock, maxWaitMs } = this.#options;
    const waitMs = Math.max(minWaitMs, Math.min(maxWaitMs, timeMs - clock.nowMs()));
    this.#cancelTimer = clock.after(waitMs, () => this.wake());
  }
}
