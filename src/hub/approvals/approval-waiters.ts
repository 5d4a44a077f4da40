/** Calls that are held until their approval is decided. */
import type { Clock } from '../../environment/clock.ts';
import { KeyedListeners } from '../../listeners/keyed-listeners.ts';
import { Listeners } from '../../listeners/listeners.ts';
import { startWait } from '../../timing/wait.ts';

type Waiter = { readonly personId: string; readonly wake: () => void };

/** Held calls of one person; further ones are answered at once. */
const maxPerPerson = 32;

export class ApprovalWaiters {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #waiters = new KeyedListeners<Waiter>();
  readonly #listeners = new Listeners<string>();
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
    const { ended, end } = startWait(this.#clock, ms, signal);
    const removeWaiter = this.#waiters.add(approvalId, { personId, wake: end });
    await ended;
    removeWaiter();
  }

  /** Resolves after `ms`, or when the signal is aborted. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    await startWait(this.#clock, ms, signal).ended;
  }

  /** True while a call is held for this approval. */
  has(approvalId: string): boolean {
    return this.#waiters.has(approvalId);
  }

  /** Calls `listener` when an approval changes. Returns a function that stops it. */
  onChange(listener: (approvalId: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  wake(approvalId: string): void {
    this.#listeners.notify(approvalId);
    for (const { wake } of this.#waiters.get(approvalId)) wake();
  }

  /** Held calls are answered now; their requests stay. */
  close(): void {
    this.#isClosed = true;
    for (const { wake } of this.#waiters.all()) wake();
  }

  #countOf(personId: string): number {
    let count = 0;
    for (const waiter of this.#waiters.all()) if (waiter.personId === personId) count += 1;
    return count;
  }
}
