/** Whether lines of a source are being seen, and who waits for that. */
import type { Clock } from '../environment/clock.ts';
import type { LogTrouble } from './log-source.ts';

/** Begins in trouble: nothing has been seen yet. */
export class Standing {
  readonly #clock: Pick<Clock, 'sleep'>;
  #trouble: LogTrouble | undefined;
  #mayLose = true;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Pick<Clock, 'sleep'>, trouble: LogTrouble) {
    this.#clock = clock;
    this.#trouble = trouble;
  }

  get trouble(): LogTrouble | undefined {
    return this.#trouble;
  }

  /** Undefined: lines are being seen. `mayLose`: false where those that come meanwhile will be read all the same; nothing is lost where nothing comes. */
  set(trouble: LogTrouble | undefined, mayLose = true): void {
    this.#trouble = trouble && { ...trouble };
    this.#mayLose = trouble !== undefined && mayLose && trouble.isFinal !== true;
    if (!this.#mayLose) for (const tell of [...this.#waiting]) tell();
  }

  /** Resolves when no line can be missed any more, or after `timeoutMs`. Keeps the process awake. */
  async ready(timeoutMs: number): Promise<void> {
    if (!this.#mayLose) return;
    const over = new AbortController();
    const tell = (): void => over.abort();
    this.#waiting.add(tell);
    await this.#clock.sleep(timeoutMs, over.signal).catch(() => undefined);
    this.#waiting.delete(tell);
  }
}
