/**
 * Writes calls and keeps the file bounded and safe. Calls that end at about the same time share a commit. While rows cannot be written, calls
 * are refused (or go on, where that is set); what was called then is written later, with a note of the gap.
 *
 * Length: writing, making safe and making room wait for one another, and share what they know of the file.
 */
import type { AuditCall } from '../../contract/hub-audit-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { asVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import { putCheckpoints } from '../../store/audit/chains.ts';
import type { AuditDatabase } from '../../store/audit/database.ts';
import type { Sql } from '../../store/sql.ts';
import type { AuditEntry } from '../words.ts';
import { appendCalls, type ChainKeys, type PreparedCall, prepared } from './append.ts';
import { Gaps } from './gaps.ts';
import { deleteOld, deleteOldest, eraseOld } from './retention.ts';
import type { AuditSettings } from './settings.ts';

/** What it works with. */
export type WriterParts = {
  readonly database: AuditDatabase;
  readonly keys: ChainKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: AuditSettings;
  readonly onFault: (fault: unknown) => void;
  /** Told of rows after their commit. */
  readonly onWritten: (calls: readonly AuditCall[]) => void;
};

type Batch = { readonly calls: PreparedCall[]; readonly done: Promise<void> };

const retryMs = 1000;
const ageEveryMs = 60_000;
/** Calls whose rows are remembered while they cannot be written; and hubs of which the rest is counted. */
const mostOwed = 1000;

/** See the file's header. */
export class AuditWriter {
  readonly #parts: WriterParts;
  #batch: Batch | undefined;
  #problem: VpError | undefined;
  #tending: Promise<void> | undefined;
  #owed: PreparedCall[] = [];
  readonly #gaps = new Gaps(mostOwed);
  #waitingForDisk: PromiseWithResolvers<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #stopAgeing: (() => void) | undefined;
  #agedAtMs = Number.NEGATIVE_INFINITY;
  /** The log of the file still has what was erased. */
  #erased = false;
  #measuredAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#age();
  }

  /** What keeps rows from being written. */
  get problem(): VpError | undefined {
    return this.#problem;
  }

  /** See `Audit.ready`. A refused call is counted. */
  ready(entry?: AuditEntry): void {
    if (!this.#problem || this.#parts.settings.whenUnwritable === 'continue') return;
    if (entry) this.#gaps.note(entry, 'refused');
    throw this.#unavailable(this.#problem);
  }

  /** See `Audit.record`. */
  async record(entry: AuditEntry): Promise<void> {
    const { keys, random, settings } = this.#parts;
    const call = prepared(entry, keys, random);
    if (this.#problem) return this.#owe(call, this.#problem);
    try {
      await this.#write(call);
    } catch (thrown) {
      const error = asVpError(thrown);
      if (error.code === 'STORE_CLOSED') throw error;
      this.#fail(error);
      return this.#owe(call, error);
    }
    this.#schedule(settings.secureEveryMs);
    if (settings.strict) await this.#onDisk();
  }

  /** Makes what was committed safe, then deletes what is too much. Never throws: what fails is a problem of the audit. */
  tend(): Promise<void> {
    this.#tending ??= this.#tend().finally(() => {
      this.#tending = undefined;
    });
    return this.#tending;
  }

  async #tend(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const waiting = this.#waitingForDisk;
    this.#waitingForDisk = undefined;
    try {
      if (this.#problem) await this.#recover();
      await this.#parts.database.secureSoon(this.#checkpoint);
      waiting?.resolve();
      await this.#retainSome();
      await this.#measure();
    } catch (thrown) {
      const error = asVpError(thrown);
      waiting?.reject(this.#unavailable(error));
      if (error.code !== 'STORE_CLOSED') this.#fail(error);
    }
  }

  /** Deletes all that is too old or too much; gives how many rows. */
  async retain(): Promise<number> {
    let deleted = 0;
    for (let more = await this.#slice(); more > 0; more = await this.#slice()) deleted += more;
    this.#emptyLog();
    return deleted;
  }

  /** Makes what was committed safe; nothing is taken afterwards. */
  async close(): Promise<void> {
    this.#stopTimer?.();
    this.#stopAgeing?.();
    await this.#batch?.done.catch(() => undefined);
    await this.#tending;
    if (!this.#problem) this.#parts.database.secure(this.#checkpoint);
    this.#waitingForDisk?.resolve();
    await this.#parts.database.close();
  }

  #write(call: PreparedCall): Promise<void> {
    this.#batch ??= this.#startBatch();
    this.#batch.calls.push(call);
    return this.#batch.done;
  }

  /** The operation runs with the next commit: all calls that were given until then are in the batch. */
  #startBatch(): Batch {
    const calls: PreparedCall[] = [];
    const done = this.#append(calls).finally(() => {
      if (this.#batch === batch) this.#batch = undefined;
    });
    const batch: Batch = { calls, done };
    return batch;
  }

  async #append(calls: readonly PreparedCall[]): Promise<void> {
    const { database, keys, onWritten } = this.#parts;
    const written = await database.write((sql) => {
      this.#batch = undefined;
      return appendCalls(sql, calls, keys);
    });
    onWritten(written);
  }

  readonly #checkpoint = (sql: Sql) => putCheckpoints(sql, this.#parts.clock.nowMs());

  #onDisk(): Promise<void> {
    this.#waitingForDisk ??= Promise.withResolvers();
    return this.#waitingForDisk.promise;
  }

  /** Rows grow old although nobody calls. */
  #age(): void {
    this.#stopAgeing = this.#parts.clock.after(ageEveryMs, () => {
      this.#age();
      this.#tendAnew();
    });
  }

  #schedule(delayMs: number): void {
    this.#stopTimer ??= this.#parts.clock.after(delayMs, () => this.#tendAnew());
  }

  /** What is under way may have begun before what is to be made safe now. */
  #tendAnew(): void {
    const before = this.#tending ?? Promise.resolve();
    before.then(() => this.tend()).catch(this.#parts.onFault);
  }

  #fail(error: VpError): void {
    if (!this.#problem) this.#parts.onFault(error);
    this.#problem = error;
    this.#schedule(retryMs);
  }

  #unavailable(problem: VpError): VpError {
    return vpError('AUDIT_UNAVAILABLE', { problem: problem.message }, { cause: problem });
  }

  #owe(call: PreparedCall, problem: VpError): void {
    if (this.#owed.length < mostOwed) this.#owed.push(call);
    else this.#gaps.note(call.entry, 'lost');
    if (this.#parts.settings.whenUnwritable === 'refuse') throw this.#unavailable(problem);
  }

  /** Makes room, then writes what is owed. Throws while there is none. */
  async #recover(): Promise<void> {
    const { database, clock, keys, random, settings } = this.#parts;
    if (database.usedBytes() > settings.maxBytes) await this.#slice();
    if ((await database.freeBytes()) < settings.leaveFreeBytes) throw this.#diskFull();
    const gaps = this.#gaps.entries(clock.nowMs()).map((entry) => prepared(entry, keys, random));
    const owed = [...this.#owed, ...gaps];
    await this.#append(owed);
    this.#owed = this.#owed.slice(owed.length - gaps.length);
    this.#gaps.clear();
    this.#problem = undefined;
  }

  async #measure(): Promise<void> {
    const { database, clock, settings } = this.#parts;
    if (clock.monotonicMs() - this.#measuredAtMs < retryMs) return;
    this.#measuredAtMs = clock.monotonicMs();
    if ((await database.freeBytes()) < settings.leaveFreeBytes) throw this.#diskFull();
  }

  #diskFull(): VpError {
    return vpError('STORE_DISK_FULL', { file: this.#parts.database.file });
  }

  async #retainSome(): Promise<void> {
    const { database, clock, settings } = this.#parts;
    const isLarge = database.usedBytes() > settings.maxBytes;
    if (!isLarge && clock.monotonicMs() - this.#agedAtMs < ageEveryMs) return;
    this.#agedAtMs = clock.monotonicMs();
    // What is left to do is done at the next turn, so that calls get in between.
    if ((await this.#slice()) === 0) {
      this.#emptyLog();
      return database.shrink();
    }
    this.#agedAtMs = Number.NEGATIVE_INFINITY;
    this.#schedule(settings.secureEveryMs);
  }

  #emptyLog(): void {
    if (this.#erased) this.#parts.database.emptyLog();
    this.#erased = false;
  }

  #slice(): Promise<number> {
    const { database, clock, settings, keys } = this.#parts;
    const nowMs = clock.nowMs();
    return database.write((sql) => {
      const erased = eraseOld(sql, nowMs - settings.argumentsMaxAgeMs);
      const aged = deleteOld(sql, nowMs - settings.maxAgeMs, keys);
      const oldest = database.usedBytes() > settings.maxBytes ? deleteOldest(sql, keys) : 0;
      const gone = erased + aged + oldest;
      this.#erased ||= gone > 0;
      return gone;
    });
  }
}
