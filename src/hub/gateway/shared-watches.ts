/** Watches each resource and task once at its server, however many callers watch it. */

type SharedWatch = { count: number; readonly stop: Promise<() => Promise<void>> };

const maxWatches = 2000;

export class SharedWatches {
  readonly #watches = new Map<string, SharedWatch>();

  /** `start` is called for the first caller of a key. Returns a function that stops watching; throws what `start` throws. */
  async watch(key: string, start: () => Promise<() => Promise<void>>): Promise<() => void> {
    const existing = this.#watches.get(key);
    if (!existing && this.#watches.size >= maxWatches) throw new RangeError('too much is watched');
    const entry = existing ?? { count: 0, stop: start() };
    this.#watches.set(key, entry);
    entry.count += 1;
    try {
      await entry.stop;
    } catch (error) {
      if (this.#watches.get(key) === entry) this.#watches.delete(key);
      throw error;
    }
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      entry.count -= 1;
      if (entry.count > 0) return;
      if (this.#watches.get(key) === entry) this.#watches.delete(key);
      void entry.stop.then((stop) => stop()).catch(() => {});
    };
  }
}
