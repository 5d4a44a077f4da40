/** What changes in a hub while its callers listen: lists, gathered for a moment, and resources that somebody watches. */
import type { Clock } from '../../environment/clock.ts';
import type { ChangedList } from '../upstream/channel.ts';

/** Somebody who listens. */
export type HubListener = {
  onChanged(list: ChangedList): void;
  /** `uri` in the form that callers know. */
  onUpdated(uri: string): void;
};

/** A thousand changes in a moment are one. */
const gatherMs = 100;

/** Who listens to which hub. */
export class HubEvents {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #listeners = new Map<string, Set<HubListener>>();
  readonly #gathering = new Set<string>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Hears of a hub until the returned function is called. */
  listen(hubId: string, listener: HubListener): () => void {
    const all = this.#listeners.get(hubId) ?? new Set();
    this.#listeners.set(hubId, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0 && this.#listeners.get(hubId) === all) this.#listeners.delete(hubId);
    };
  }

  changed(hubId: string, list: ChangedList): void {
    this.#gather(`${hubId} ${list}`, hubId, (listener) => listener.onChanged(list));
  }

  updated(hubId: string, uri: string): void {
    this.#gather(`${hubId} updated ${uri}`, hubId, (listener) => listener.onUpdated(uri));
  }

  #gather(key: string, hubId: string, tell: (listener: HubListener) => void): void {
    if (this.#gathering.has(key) || !this.#listeners.has(hubId)) return;
    this.#gathering.add(key);
    this.#clock.after(gatherMs, () => {
      this.#gathering.delete(key);
      for (const listener of this.#listeners.get(hubId) ?? []) tell(listener);
    });
  }
}
