/** Listeners by what they listen to, such as a hub or a credential. A key without listeners takes no memory. */
export class KeyedListeners<Listener> {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** How many keys have listeners. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Returns a function that removes the listener. */
  add(key: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    };
  }

  has(key: string): boolean {
    return this.#listeners.has(key);
  }

  /** Changes while it is walked: a listener that another one removes is not reached. */
  get(key: string): ReadonlySet<Listener> {
    return this.#listeners.get(key) ?? new Set();
  }

  /** Those of all keys. */
  *all(): IterableIterator<Listener> {
    for (const listeners of this.#listeners.values()) yield* listeners;
  }

  /** Removes the listeners of a key; returns them. One that is removed while the set is walked is not reached. */
  take(key: string): ReadonlySet<Listener> {
    const listeners = this.get(key);
    this.#listeners.delete(key);
    return listeners;
  }
}
