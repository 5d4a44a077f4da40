/** Resources that callers watch: each is watched once at its server, however many callers do. */
import type { Place } from './catalogue.ts';

type Watched = { count: number; readonly stop: Promise<() => Promise<void>> };

const mostWatches = 2000;

/** The watched resources of all hubs. */
export class Watches {
  readonly #watched = new Map<string, Watched>();

  /** Watches until the returned function is called; throws what the server throws. */
  async watch({ connection, upstream, uri }: Place & { readonly uri: string }, holder: string): Promise<() => void> {
    const key = JSON.stringify([connection.id, connection.revision, holder, uri]);
    const known = this.#watched.get(key);
    const watched = known ?? { count: 0, stop: upstream.watch(uri) };
    if (!known && this.#watched.size >= mostWatches) throw new RangeError('too many resources are watched');
    this.#watched.set(key, watched);
    watched.count += 1;
    try {
      await watched.stop;
    } catch (error) {
      this.#watched.delete(key);
      throw error;
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      watched.count -= 1;
      if (watched.count > 0) return;
      if (this.#watched.get(key) === watched) this.#watched.delete(key);
      void watched.stop.then((stop) => stop()).catch(() => {});
    };
  }
}
