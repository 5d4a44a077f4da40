import { InFlightSet } from '../collections/in-flight.ts';

/** Listeners of one event, such as a commit. */
export class Listeners<Event = void> {
  readonly #listeners = new InFlightSet<(event: Event) => void>();
  readonly #onError: ((error: unknown) => void) | undefined;

  /** Listeners must not throw, unless `onError` takes their errors. */
  constructor(onError?: (error: unknown) => void) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Returns a function that removes the listener. */
  readonly add = (listener: (event: Event) => void): (() => void) => {
    return this.#listeners.add(listener);
  };

  /** In the order in which they were added, without those that are removed or added meanwhile. */
  readonly notify = (event: Event): void => {
    for (const listener of this.#listeners) this.#call(listener, event);
  };

  #call(listener: (event: Event) => void, event: Event): void {
    try {
      listener(event);
    } catch (error) {
      if (!this.#onError) throw error;
      this.#onError(error);
    }
  }
}
