/** Listeners of one event, such as a commit. */
export class Listeners<Event = void> {
  readonly #entries = new Set<{ readonly notify: (event: Event) => void }>();
  readonly #onError: ((error: unknown) => void) | undefined;

  /** Listeners must not throw, unless `onError` takes their errors. */
  constructor(onError?: (error: unknown) => void) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns a function that removes the listener. */
  readonly add = (listener: (event: Event) => void): (() => void) => {
    const entry = { notify: listener };
    this.#entries.add(entry);
    return () => void this.#entries.delete(entry);
  };

  /** In the order in which they were added, without those that are removed or added meanwhile. */
  readonly notify = (event: Event): void => {
    for (const entry of [...this.#entries]) if (this.#entries.has(entry)) this.#call(entry.notify, event);
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
