/** Changes of the outbox's store, and the position of the journal, which is stored with each of them. */
import { type InstanceRunTotals, JournalPosition } from '../../contract/executor-api.ts';
import { createValidator } from '../../http/schema/validator.ts';
import type { Database } from '../../store/database.ts';
import { readOutboxMeta, writeOutboxMeta } from '../../store/outbox/outbox-store.ts';
import type { Sql } from '../../store/sql.ts';

const firstPosition: JournalPosition = { seq: 0, registered_at_ms: 0, epoch: 0, fence: 0, finished_runs: 0 };
const positionValidator = createValidator<JournalPosition>(JournalPosition);

/** What a change sets besides the sequence number. */
export type AdvancePosition = (before: JournalPosition) => Partial<JournalPosition>;

const keepPosition: AdvancePosition = () => ({});

/** That of a new store, also for a store of 0.4.0. */
function parsePosition(text: string | undefined): JournalPosition {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return positionValidator.isValid(value) ? value : firstPosition;
}

export function countFinished(totals: InstanceRunTotals | undefined): number {
  return totals ? totals.passed + totals.failed + totals.not_judged + totals.cancelled : 0;
}

export class Journal {
  readonly #database: Pick<Database, 'write'>;
  #committed = firstPosition;
  #finishedRuns = 0;
  /** As written last: every change reads what the one before has written, which need not be parsed again. */
  #written: { readonly text: string; readonly position: JournalPosition } | undefined;

  constructor(database: Pick<Database, 'write'>) {
    this.#database = database;
  }

  /** As committed last. */
  get position(): JournalPosition {
    return { ...this.#committed, finished_runs: Math.max(this.#committed.finished_runs, this.#finishedRuns) };
  }

  /** Stored with the next change, unless more runs have finished already. */
  observeFinishedRuns(count: number): void {
    this.#finishedRuns = Math.max(this.#finishedRuns, count);
  }

  /** For a control plane that may have another history: the number may be lower than before. */
  replaceFinishedRuns(count: number): void {
    this.#finishedRuns = count;
  }

  /** Every change advances the position, so that an older copy of the store has a lower one. */
  async change<T>(work: (sql: Sql) => T, advance = keepPosition): Promise<T> {
    const { result, committed } = await this.#database.write((sql) => {
      const result = work(sql);
      const before = this.readPosition(sql);
      const finished_runs = Math.max(before.finished_runs, this.#finishedRuns);
      const committed = { ...before, finished_runs, ...advance(before), seq: before.seq + 1 };
      this.#writePosition(sql, committed);
      return { result, committed };
    });
    if (committed.seq > this.#committed.seq) this.#committed = committed;
    return result;
  }

  /** As stored. */
  readPosition(sql: Sql): JournalPosition {
    const text = readOutboxMeta(sql, 'position');
    return text !== undefined && text === this.#written?.text ? this.#written.position : parsePosition(text);
  }

  #writePosition(sql: Sql, position: JournalPosition): void {
    const text = JSON.stringify(position);
    this.#written = { text, position };
    writeOutboxMeta(sql, 'position', text);
  }
}
