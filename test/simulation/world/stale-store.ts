/**
 * The one way in which a request may be sent twice (docs/explanation/guarantees.md): the folder of the control plane goes back to a
 * copy in which the run is queued, the run was sent after the copy was made, and until it is sent again no executor calls that
 * had called in between and still has its folder. Everything else that is sent twice is a violation.
 */
import type { Scheduler } from './scheduler.ts';

type Copy = { readonly atMs: number; readonly queued: ReadonlySet<string> };

type Return = {
  readonly atMs: number;
  readonly copy: Copy;
  /** Executors that know more than the copy does. */
  readonly witnesses: Set<string>;
  hasBeenContradicted: boolean;
};

export class StaleStore {
  readonly #scheduler: Scheduler;
  /** When each request arrived at the target. */
  readonly #arrivals = new Map<string, readonly number[]>();
  /** By executor: its last call that the control plane handled, and since when it has its folder. */
  readonly #calledMs = new Map<string, number>();
  readonly #folderSinceMs = new Map<string, number>();
  #copy: Copy | undefined;
  #return: Return | undefined;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** `queued`: the runs that wait when the copy is made. */
  recordCopy(queued: ReadonlySet<string>): void {
    this.#copy = { atMs: this.#scheduler.nowMs, queued };
  }

  recordReturn(): void {
    const copy = this.#copy;
    if (!copy) return;
    const hasCalledSince = ([executor, calledMs]: readonly [string, number]): boolean =>
      calledMs > Math.max(copy.atMs, this.#folderSinceMs.get(executor) ?? copy.atMs);
    const witnesses = new Set([...this.#calledMs].filter(hasCalledSince).map(([executor]) => executor));
    this.#return = { atMs: this.#scheduler.nowMs, copy, witnesses, hasBeenContradicted: false };
  }

  /** The folder of that executor is an older one, or new. */
  recordOtherFolder(executor: string): void {
    this.#folderSinceMs.set(executor, this.#scheduler.nowMs);
    this.#return?.witnesses.delete(executor);
  }

  recordCall(executor: string): void {
    this.#calledMs.set(executor, this.#scheduler.nowMs);
    if (this.#return?.witnesses.has(executor)) this.#return.hasBeenContradicted = true;
  }

  /** `request` is its correlation id, `tr-<run>-…`, with method and path. False where it must not have arrived again. */
  recordArrival(request: string): boolean {
    const { nowMs } = this.#scheduler;
    const earlier = this.#arrivals.get(request) ?? [];
    this.#arrivals.set(request, [...earlier, nowMs]);
    if (earlier.length === 0) return true;
    const { atMs, copy, hasBeenContradicted } = this.#return ?? {};
    if (atMs === undefined || !copy || hasBeenContradicted || !copy.queued.has(request.split('-')[1] ?? ''))
      return false;
    return earlier.every((arrivedMs) => arrivedMs > copy.atMs && arrivedMs < atMs);
  }
}
