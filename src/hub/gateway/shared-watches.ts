/** Watches each resource and task once at its server, however many callers watch it. */

type SharedWatch = { count: number; readonly stop: Promise<() => Promise<void>> };

const maxWatches = 2000;

export class SharedWatches {
  readonly #watches = new Map<string, SharedWatch>();
  /** A server must not be told to stop after it was told to start again. */
  readonly #stopping = new Map<string, Promise<void>>();

  /** `start` is called for the first caller of a key. Returns a function that stops watching; throws what `start` throws. */
  async watch(key: string, start: () => Promise<() => Promise<void>>): Promise<() => void> {
    const existing = this.#watches.get(key);
    if (!existing && this.#watches.size >= maxWatches) throw new RangeError('too much is watched');
    const entry = existing ?? { count: 0, stop: this.#startAfterStop(key, start) };
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
      this.#stop(key, entry);
    };
  }

  async #startAfterStop(key: string, start: () => Promise<() => Promise<void>>): Promise<() => Promise<void>> {
    const stopping = this.#stopping.get(key);
    if (stopping) await stopping;
    return start();
  }

  #stop(key: string, { stop }: SharedWatch): void {
    const stopping = stop
      .then((stopWatch) => stopWatch())
      .catch(() => {})
      .then(() => {
        if (this.#stopping.get(key) === stopping) this.#stopping.delete(key);
      });
    this.#stopping.set(key, stopping);
  }
}
