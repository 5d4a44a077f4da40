/** Appends calls to their chains; those that end at about the same time share a commit, or a write to the file of recent calls. */
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import { appendCalls, type ChainKeys, isCallWritten, type PreparedCall } from './append-calls.ts';
import type { RecentCalls } from './recent-calls.ts';

type Batch = { readonly calls: PreparedCall[]; readonly done: Promise<readonly AuditCall[]> };

export type CallBatchesDependencies = {
  readonly database: Pick<AuditDatabase, 'write'>;
  readonly keys: ChainKeys;
  /** Called with calls when they are recorded. */
  readonly onWritten: (calls: readonly AuditCall[]) => void;
  /** Undefined where each call's row is written at once. */
  readonly recent: RecentCalls | undefined;
};

export class CallBatches {
  readonly #database: Pick<AuditDatabase, 'write'>;
  readonly #keys: ChainKeys;
  readonly #onWritten: CallBatchesDependencies['onWritten'];
  readonly #recent: RecentCalls | undefined;
  #batch: Batch | undefined;

  /** Rows of `recent` are in the tables before `database` writes. */
  constructor({ database, keys, recent, onWritten }: CallBatchesDependencies) {
    this.#database = database;
    this.#keys = keys;
    this.#recent = recent;
    this.#onWritten = onWritten;
  }

  /** Resolves with the number of the call's row in its chain. Rejects with STORE_*. */
  async write(call: PreparedCall): Promise<number> {
    this.#batch ??= this.#startBatch();
    const { calls, done } = this.#batch;
    const index = calls.push(call) - 1;
    return (await done)[index]?.seq ?? 0;
  }

  /** Writes these calls in one commit; of those in `uncertain` the ones that have no row yet. Rejects with STORE_*. */
  async append(calls: readonly PreparedCall[], uncertain?: ReadonlySet<PreparedCall>): Promise<readonly AuditCall[]> {
    const { written, heads } = await this.#database.write((sql) => {
      this.#closeBatch(calls);
      const missing = uncertain?.size
        ? calls.filter((call) => !uncertain.has(call) || !isCallWritten(sql, call))
        : calls;
      return appendCalls(sql, missing, this.#keys);
    });
    this.#recent?.noteHeads(heads);
    this.#onWritten(written);
    return written;
  }

  /** At the end of this turn of the event loop. */
  async #record(recent: RecentCalls, calls: readonly PreparedCall[]): Promise<readonly AuditCall[]> {
    await new Promise((resolve) => setImmediate(resolve));
    if (!recent.canAppend(calls)) return await this.append(calls);
    this.#closeBatch(calls);
    const written = recent.append(calls);
    this.#onWritten(written);
    return written;
  }

  /** Later calls begin a batch of their own. */
  #closeBatch(calls: readonly PreparedCall[]): void {
    if (this.#batch?.calls === calls) this.#batch = undefined;
  }

  /** Settles when no call is being written. Never rejects. */
  async finish(): Promise<void> {
    await this.#batch?.done.catch(() => undefined);
  }

  /** The batch contains all calls until the end of this turn, or until the next commit. */
  #startBatch(): Batch {
    const calls: PreparedCall[] = [];
    const recording = this.#recent ? this.#record(this.#recent, calls) : this.append(calls);
    const done = recording.finally(() => this.#closeBatch(calls));
    return { calls, done };
  }
}
