/** Events of a hub: changed lists, debounced, and updated resources. */
import type { Clock } from '../../environment/clock.ts';
import type { ChangedList } from '../upstream/changes.ts';

export type HubEventListener = {
  onChanged(list: ChangedList): void;
  /** `uri` is the public URI. */
  onUpdated(uri: string): void;
};

/** Combines bursts of changes. */
const debounceMs = 100;

export class HubEvents {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #listeners = new Map<string, Set<HubEventListener>>();
  readonly #scheduledKeys = new Set<string>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Returns a function that stops listening. */
  listen(hubId: string, listener: HubEventListener): () => void {
    const listeners = this.#listeners.get(hubId) ?? new Set();
    this.#listeners.set(hubId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(hubId) === listeners) this.#listeners.delete(hubId);
    };
  }

  emitChanged(hubId: string, list: ChangedList): void {
    this.#debounce(`${hubId} ${list}`, hubId, (listener) => listener.onChanged(list));
  }

  emitUpdated(hubId: string, uri: string): void {
    this.#debounce(`${hubId} updated ${uri}`, hubId, (listener) => listener.onUpdated(uri));
  }

  #debounce(key: string, hubId: string, notify: (listener: HubEventListener) => void): void {
    if (this.#scheduledKeys.has(key) || !this.#listeners.has(hubId)) return;
    this.#scheduledKeys.add(key);
    this.#clock.after(debounceMs, () => {
      this.#scheduledKeys.delete(key);
      for (const listener of this.#listeners.get(hubId) ?? []) notify(listener);
    });
  }
}
