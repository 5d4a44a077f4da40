/** Whether lines of a source are being seen, and who waits for that. */
import type { Clock } from '../environment/clock.ts';
import type { LogTrouble } from './log-source.ts';

/** Begins in trouble: nothing has been seen yet. */
export class Standing {
  readonly #clock: Pick<Clock, 'after'>;
  #trouble: LogTrouble | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Pick<Clock, 'after'>, trouble: LogTrouble) {
    this.#clock = clock;
    this.#trouble = trouble;
  }

  get trouble(): LogTrouble | undefined {
    return this.#trouble;
  }

  /** Undefined: lines are being seen. */
  set(trouble: LogTrouble | undefined): void {
    this.#trouble = trouble && { problem: trouble.problem, cure: trouble.cure };
    if (!trouble) for (const tell of [...this.#waiting]) tell();
  }

  /** Resolves when lines are being seen, or after `timeoutMs`. */
  ready(timeoutMs: number): Promise<void> {
    if (!this.#trouble) return Promise.resolve();
    return new Promise((resolve) => {
      const tell = (): void => {
        cancel();
        this.#waiting.delete(tell);
        resolve();
      };
      const cancel = this.#clock.after(timeoutMs, tell);
      this.#waiting.add(tell);
    });
  }
}
