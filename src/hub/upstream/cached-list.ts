/** A list of an upstream server, kept for a while: shown stale while it is fetched anew, and never waited for beyond a bound. */
import type { Clock } from '../../environment/clock.ts';
import { asVpError, type VpError } from '../../errors/vp-error.ts';

/** What was fetched, and how long it is good for. */
export type Fetched<T> = {
  readonly items: readonly T[];
  readonly ttlMs: number | undefined;
  /** What is wrong with entries that are left out. */
  readonly warning?: string | undefined;
};

/** A list as it is known; without `items` nothing is. */
export type KnownList<T> = {
  readonly items: readonly T[] | undefined;
  readonly problem: VpError | undefined;
  readonly warning: string | undefined;
};

const defaultTtlMs = 60_000;
const shortestTtlMs = 2000;
const longestTtlMs = 300_000;
/** A server that could not tell its list is asked again after this. */
const afterFailureMs = 2000;

/** One list. The same array stands for the same state, so that whatever is made of it can be kept beside it. */
export class CachedList<T> {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly #fetch: () => Promise<Fetched<T>>;
  #items: readonly T[] | undefined;
  #problem: VpError | undefined;
  #warning: string | undefined;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #outdated = false;
  #fetching: Promise<void> | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs' | 'after'>, fetch: () => Promise<Fetched<T>>) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /** The list, waited for at most `boundMs` and only where nothing, or something known to be outdated, is there. */
  async get(boundMs: number): Promise<KnownList<T>> {
    if (this.#clock.monotonicMs() < this.#freshUntilMs) return this.known;
    this.#fetching ??= this.#refresh();
    if (this.#items === undefined || this.#outdated) await this.#within(this.#fetching, boundMs);
    return this.known;
  }

  get known(): KnownList<T> {
    return { items: this.#items, problem: this.#problem, warning: this.#warning };
  }

  /** The server has said that it changed: the next reader waits for the new one. */
  outdate(): void {
    this.#outdated = true;
    this.#freshUntilMs = Number.NEGATIVE_INFINITY;
    // What is on its way may have been told before the change.
    this.#fetching = undefined;
  }

  async #refresh(): Promise<void> {
    const began = Symbol('fetch');
    this.#current = began;
    try {
      const { items, ttlMs = defaultTtlMs, warning } = await this.#fetch();
      if (this.#current !== began) return;
      this.#items = items;
      this.#warning = warning;
      this.#problem = undefined;
      this.#outdated = false;
      this.#freshFor(Math.min(Math.max(ttlMs, shortestTtlMs), longestTtlMs));
    } catch (error) {
      if (this.#current !== began) return;
      this.#problem = asVpError(error);
      this.#freshFor(afterFailureMs);
    } finally {
      if (this.#current === began) this.#fetching = undefined;
    }
  }
  #current: symbol | undefined;

  #freshFor(ms: number): void {
    this.#freshUntilMs = this.#clock.monotonicMs() + ms;
  }

  async #within(work: Promise<void>, boundMs: number): Promise<void> {
    const bound = Promise.withResolvers<void>();
    const cancel = this.#clock.after(boundMs, () => bound.resolve());
    await Promise.race([work, bound.promise]);
    cancel();
  }
}
