/** Appends calls to their chains; those that are recorded at about the same time share a commit. */
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import { appendCalls, type ChainKeys, isCallWritten, type PreparedCall } from './append-calls.ts';

type Batch = { readonly calls: PreparedCall[]; readonly done: Promise<readonly AuditCall[]> };

export class CallBatches {
  readonly #database: Pick<AuditDatabase, 'write'>;
  readonly #keys: ChainKeys;
  /** Called with rows after their commit. */
  readonly #onWritten: (calls: readonly AuditCall[]) => void;
  #batch: Batch | undefined;

  constructor(
    database: Pick<AuditDatabase, 'write'>,
    keys: ChainKeys,
    onWritten: (calls: readonly AuditCall[]) => void,
  ) {
    this.#database = database;
    this.#keys = keys;
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
    const written = await this.#database.write((sql) => {
      if (this.#batch?.calls === calls) this.#batch = undefined;
      const missing = uncertain?.size
        ? calls.filter((call) => !uncertain.has(call) || !isCallWritten(sql, call))
        : calls;
      return appendCalls(sql, missing, this.#keys);
    });
    this.#onWritten(written);
    return written;
  }

  /** Settles when no call is being written. Never rejects. */
  async finish(): Promise<void> {
    await this.#batch?.done.catch(() => undefined);
  }

  /** The operation runs with the next commit: the batch contains all calls recorded until then. */
  #startBatch(): Batch {
    const calls: PreparedCall[] = [];
    const done = this.append(calls).finally(() => {
      if (this.#batch === batch) this.#batch = undefined;
    });
    const batch: Batch = { calls, done };
    return batch;
  }
}
