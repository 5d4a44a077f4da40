/** Calls that are held until their approval is decided. */
import type { Clock } from '../../environment/clock.ts';

type Waiter = { readonly personId: string; readonly wake: () => void };

/** Held calls of one person; further ones are answered at once. */
const maxPerPerson = 32;

export class ApprovalWaiters {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #listeners = new Set<(approvalId: string) => void>();
  #isClosed = false;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when the approval changes, after `ms`, when the signal is aborted, or when `close` is called. */
  async wait(approvalId: string, personId: string, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted || ms <= 0 || this.#countOf(personId) >= maxPerPerson) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { personId, wake: resolve };
    const waiters = this.#waiters.get(approvalId) ?? new Set();
    this.#waiters.set(approvalId, waiters.add(waiter));
    const cancelTimer = this.#clock.after(ms, resolve);
    const onAbort = (): void => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    await promise;
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
    waiters.delete(waiter);
    if (waiters.size === 0) this.#waiters.delete(approvalId);
  }

  /** Resolves after `ms`, or when the signal is aborted. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancelTimer = this.#clock.after(ms, resolve);
    const onAbort = (): void => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) resolve();
    await promise;
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
  }

  /** True while a call is held for this approval. */
  has(approvalId: string): boolean {
    return this.#waiters.has(approvalId);
  }

  /** Calls `listener` when an approval changes. Returns a function that stops it. */
  onChange(listener: (approvalId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  wake(approvalId: string): void {
    for (const listener of this.#listeners) listener(approvalId);
    for (const { wake } of this.#waiters.get(approvalId) ?? []) wake();
  }

  /** Held calls are answered now; their requests stay. */
  close(): void {
    this.#isClosed = true;
    for (const waiters of this.#waiters.values()) for (const { wake } of waiters) wake();
  }

  #countOf(personId: string): number {
    let count = 0;
    for (const waiters of this.#waiters.values())
      for (const waiter of waiters) if (waiter.personId === personId) count += 1;
    return count;
  }
}
