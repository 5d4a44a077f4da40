/** Watches each resource once at its server, however many callers watch it. */
import type { ConnectionRoute } from './catalogue.ts';

type ResourceWatch = { count: number; readonly stop: Promise<() => Promise<void>> };

const maxWatches = 2000;

export class ResourceWatches {
  readonly #watches = new Map<string, ResourceWatch>();

  /** Returns a function that stops watching; throws what the server throws. */
  async watch(
    { connection, upstream, uri }: ConnectionRoute & { readonly uri: string },
    holder: string,
  ): Promise<() => void> {
    const key = JSON.stringify([connection.id, connection.revision, holder, uri]);
    const existing = this.#watches.get(key);
    const entry = existing ?? { count: 0, stop: upstream.watch(uri) };
    if (!existing && this.#watches.size >= maxWatches) throw new RangeError('too many resources are watched');
    this.#watches.set(key, entry);
    entry.count += 1;
    try {
      await entry.stop;
    } catch (error) {
      this.#watches.delete(key);
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
