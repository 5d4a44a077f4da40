import type { Clock } from '../../environment/clock.ts';

/** At most so many at once; the others wait for their turn, the longest first. */
export class Turns {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves with false when there was no turn within `maxWaitMs`; otherwise `end` must follow. */
  async begin(clock: Pick<Clock, 'after'>, maxWaitMs: number): Promise<boolean> {
    if (this.#active < this.#max) {
      this.#active += 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const turn = (): void => {
      stopTimer();
      resolve(true);
    };
    const stopTimer = clock.after(maxWaitMs, () => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1);
      resolve(false);
    });
    this.#waiting.push(turn);
    return await promise;
  }

  end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#active -= 1;
  }
}
