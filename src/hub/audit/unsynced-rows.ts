/** How long committed rows have been waiting for the disk. */
import type { Clock } from '../../environment/clock.ts';

export class UnsyncedRows {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** When the oldest row was committed that no sync covers yet, and the oldest that the running one covers. */
  #oldestAtMs: number | undefined;
  #syncingAtMs: number | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  noteCommit(): void {
    this.#oldestAtMs ??= this.#clock.monotonicMs();
  }

  /** The age of the oldest row; 0 without one. */
  getAgeMs(): number {
    const oldestAtMs = this.#syncingAtMs ?? this.#oldestAtMs;
    return oldestAtMs === undefined ? 0 : this.#clock.monotonicMs() - oldestAtMs;
  }

  /** A sync covers the rows that were committed before it began. */
  beginSync(): void {
    this.#syncingAtMs ??= this.#oldestAtMs;
    this.#oldestAtMs = undefined;
  }

  endSync(isSynced: boolean): void {
    if (!isSynced) this.#oldestAtMs = this.#syncingAtMs ?? this.#oldestAtMs;
    this.#syncingAtMs = undefined;
  }
}
