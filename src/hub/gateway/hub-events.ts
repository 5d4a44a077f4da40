/** Events of a hub: changed lists, debounced, and updated resources. */
import type { Clock } from '../../environment/clock.ts';
import { KeyedListeners } from '../../listeners/keyed-listeners.ts';
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
  readonly #listeners = new KeyedListeners<HubEventListener>();
  readonly #scheduledKeys = new Set<string>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Returns a function that stops listening. */
  listen(hubId: string, listener: HubEventListener): () => void {
    return this.#listeners.add(hubId, listener);
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
      for (const listener of this.#listeners.get(hubId)) notify(listener);
    });
  }
}
