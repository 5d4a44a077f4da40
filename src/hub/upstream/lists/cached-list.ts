/** A cached list of an upstream server: served stale while it is refreshed, and waited for only up to a timeout. */

import type { Clock } from '../../../environment/clock.ts';
import { toVpError, type VpError } from '../../../errors/vp-error.ts';
import { waitAtMost } from '../../../timing/timeout.ts';
import type { HubPath } from '../../protocol/hub-path.ts';

export type FetchedList<T> = {
  readonly items: readonly T[];
  readonly ttlMs: number | undefined;
  /** What is wrong with omitted entries. */
  readonly warning?: string | undefined;
};

/** `items` is undefined before the first successful fetch. */
export type ListState<T> = {
  readonly items: readonly T[] | undefined;
  readonly problem: VpError | undefined;
  readonly warning: string | undefined;
};

const defaultTtlMs = 60_000;
const minTtlMs = 2000;
const maxTtlMs = 300_000;
/** After a failed fetch. */
const retryDelayMs = 2000;

/** The same array represents the same state, so that derived data can be cached by it. */
export class CachedList<T> {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly #fetch: (hubPath: HubPath) => Promise<FetchedList<T>>;
  #items: readonly T[] | undefined;
  #problem: VpError | undefined;
  #warning: string | undefined;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #isOutdated = false;
  #pendingFetch: Promise<void> | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs' | 'after'>, fetch: (hubPath: HubPath) => Promise<FetchedList<T>>) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /**
   * Waits at most `timeoutMs`, and only if there is no list or it is known to be outdated. `hubPath` is that of the request
   * that needs the list: one that comes back to its hub is refused there.
   */
  async get(timeoutMs: number, hubPath: HubPath = []): Promise<ListState<T>> {
    const fresh = this.freshState;
    if (fresh) return fresh;
    this.#pendingFetch ??= this.#refresh(hubPath);
    if (this.#items === undefined || this.#isOutdated) await waitAtMost(this.#clock, timeoutMs, this.#pendingFetch);
    return this.state;
  }

  /** The state, where no reader would wait for another one. */
  get freshState(): ListState<T> | undefined {
    return this.#clock.monotonicMs() < this.#freshUntilMs ? this.state : undefined;
  }

  get state(): ListState<T> {
    return { items: this.#items, problem: this.#problem, warning: this.#warning };
  }

  /** The server reported a change: the next reader waits for the new list. */
  invalidate(): void {
    this.#isOutdated = true;
    this.#freshUntilMs = Number.NEGATIVE_INFINITY;
    // A fetch in progress may have started before the change.
    this.#pendingFetch = undefined;
  }

  async #refresh(hubPath: HubPath): Promise<void> {
    const fetchId = Symbol('fetch');
    this.#currentFetch = fetchId;
    try {
      const { items: fetchedItems, ttlMs = defaultTtlMs, warning } = await this.#fetch(hubPath);
      if (this.#currentFetch !== fetchId) return;
      this.#items = fetchedItems;
      this.#warning = warning;
      this.#problem = undefined;
      this.#isOutdated = false;
      this.#setFresh(Math.min(Math.max(ttlMs, minTtlMs), maxTtlMs));
    } catch (error) {
      if (this.#currentFetch !== fetchId) return;
      this.#problem = toVpError(error);
      this.#setFresh(retryDelayMs);
    } finally {
      if (this.#currentFetch === fetchId) this.#pendingFetch = undefined;
    }
  }
  #currentFetch: symbol | undefined;

  #setFresh(ms: number): void {
    this.#freshUntilMs = this.#clock.monotonicMs() + ms;
  }
}
