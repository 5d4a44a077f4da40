/**
 * Writes calls and keeps the audit file bounded and durable. Calls that end at about the same time are recorded together.
 * While rows cannot be written, calls are refused or, if configured, continue; they are written later with a record of
 * the gap.
 *
 * Length: writing, syncing and retention wait for one another and share the state of the file.
 */

import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { toVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import { saveAuditCheckpoints } from '../../store/audit/chains.ts';
import type { Sql } from '../../store/sql.ts';
import { takeTurnForText } from '../../timing/large-text-turn.ts';
import { repeatEvery } from '../../timing/repeat.ts';
import { type AuditAnchors, recordAnchors } from './anchors.ts';
import { type ChainKeys, type PreparedCall, prepareCall, prepareLargeCall, prepareParts } from './append-calls.ts';
import type { AuditEntry, CallBeforeOutcome } from './audit-entry.ts';
import { AuditGaps } from './audit-gaps.ts';
import type { AuditSettings } from './audit-settings.ts';
import { CallBatches } from './call-batches.ts';
import type { PreparedParts } from './prepared-parts.ts';
import type { RecentCalls } from './recent-calls.ts';
import { deleteExpiredEntries, deleteOldestEntries, eraseExpiredArguments } from './retention.ts';
import { UnsyncedRows } from './unsynced-rows.ts';

export type AuditWriterDependencies = {
  /** With `recent` the one that it wraps. */
  readonly database: AuditDatabase;
  /** Undefined where each call's row is written to the tables at once. */
  readonly recent?: RecentCalls | undefined;
  readonly keys: ChainKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: AuditSettings;
  readonly onError: (error: unknown) => void;
  readonly mayDeleteByAge: () => boolean;
  readonly anchors: AuditAnchors | undefined;
  /** Called with calls when they are recorded. */
  readonly onWritten: (calls: readonly AuditCall[]) => void;
};

/** `refusing`: no row can be written, so calls are refused; `gaps`: they go on without one. */
export type AuditAvailability = 'recording' | 'refusing' | 'gaps';

const retryMs = 1000;
/** While a row has been waiting for the disk for longer, calls wait for it too: a power cut takes no more than this. */
const maxUnsyncedMs = 1000;
const ageCheckIntervalMs = 60_000;
/** How often the control plane's store learns how far the audit has come. */
const anchorIntervalMs = 5_000;
/** Calls that are buffered while they cannot be written, and hubs whose further calls are counted. */
const maxUnwritten = 1000;

function isOutcomeUnknown({ code }: VpError): boolean {
  return code === 'STORE_OUTCOME_UNKNOWN';
}

export class AuditWriter {
  readonly #dependencies: AuditWriterDependencies;
  readonly #batches: CallBatches;
  readonly #unsynced: UnsyncedRows;
  #problem: VpError | undefined;
  #maintenance: Promise<void> | undefined;
  #unwritten: PreparedCall[] = [];
  /** Of these the outcome of their commit is unknown: they may have a row. */
  readonly #uncertain = new Set<PreparedCall>();
  readonly #gaps = new AuditGaps(maxUnwritten);
  readonly #preparing = new Set<Promise<unknown>>();
  #waitingForDisk: PromiseWithResolvers<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #stopAgeCheck: (() => void) | undefined;
  #ageCheckedAtMs = Number.NEGATIVE_INFINITY;
  /** The write-ahead log still contains erased arguments. */
  #hasErasedArguments = false;
  #measuredAtMs = Number.NEGATIVE_INFINITY;
  #notedAtMs = Number.NEGATIVE_INFINITY;
  #noting: Promise<void> = Promise.resolve();
  /** Maintenance would outlast the database. */
  #isClosing = false;

  constructor(dependencies: AuditWriterDependencies) {
    this.#dependencies = dependencies;
    const { database, recent, keys, clock, onWritten } = dependencies;
    this.#unsynced = new UnsyncedRows(clock);
    this.#batches = new CallBatches({
      ...{ database, recent, keys },
      onWritten: (calls) => {
        this.#unsynced.noteCommit();
        onWritten(calls);
      },
    });
    this.#scheduleAgeCheck();
  }

  /** The error that prevents rows from being written. */
  get problem(): VpError | undefined {
    return this.#problem;
  }

  get availability(): AuditAvailability {
    if (!this.#problem) return 'recording';
    return this.#dependencies.settings.whenUnwritable === 'refuse' ? 'refusing' : 'gaps';
  }

  /** Implements `AuditSink.ready`. A refused call is counted. */
  ready(createEntry?: () => AuditEntry): void {
    if (!this.#problem || this.#dependencies.settings.whenUnwritable === 'continue') return;
    if (createEntry) this.#gaps.record(createEntry(), 'refused');
    throw this.#unavailable(this.#problem);
  }

  /** Implements `AuditSink.prepare`. */
  prepare(call: CallBeforeOutcome): PreparedParts {
    const { keys, random } = this.#dependencies;
    return prepareParts(call, keys, random);
  }

  /** Implements `AuditSink.record`; resolves with the number of the row, undefined if it was not written. */
  async record(entry: AuditEntry): Promise<number | undefined> {
    const { settings, keys, random } = this.#dependencies;
    const turn = takeTurnForText(entry.requestBytes);
    const call = turn ? await this.#prepareLarge(entry, turn) : prepareCall(entry, keys, random);
    if (this.#problem) return this.#storeUnwritten(call, this.#problem);
    let seq: number;
    try {
      seq = await this.#batches.write(call);
    } catch (thrown) {
      const error = toVpError(thrown);
      if (error.code === 'STORE_CLOSED') throw error;
      this.#recordProblem(error);
      return this.#storeUnwritten(call, error);
    }
    // Many pending rows would delay what waits for them.
    if (this.#dependencies.recent?.isFull) this.#insertRecentCalls();
    if (settings.strict) await this.#syncToDisk();
    else if (this.#unsynced.getAgeMs() >= maxUnsyncedMs) await this.#syncOverdueRows();
    else this.#schedule(settings.syncIntervalMs);
    return seq;
  }

  #insertRecentCalls(): void {
    if (this.#problem) return;
    this.#dependencies.recent?.insert().catch((thrown) => {
      const error = toVpError(thrown);
      if (error.code !== 'STORE_CLOSED') this.#recordProblem(error);
    });
  }

  /** In turns of the event loop, for which a close waits. */
  #prepareLarge(entry: AuditEntry, turn: Promise<unknown>): Promise<PreparedCall> {
    const prepared = (async () => {
      const { keys, random } = this.#dependencies;
      await turn;
      return prepareLargeCall(entry, keys, random, async () => takeTurnForText(entry.requestBytes));
    })();
    this.#preparing.add(prepared);
    void prepared.catch(() => undefined).then(() => this.#preparing.delete(prepared));
    return prepared;
  }

  /** Until the calls that were being prepared are in a batch: their callers go on before a later turn of the event loop. */
  async #finishPreparing(): Promise<void> {
    if (this.#preparing.size === 0) return;
    await Promise.allSettled(this.#preparing);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Calls that were committed while the disk was busy share the next sync. */
  #syncToDisk(): Promise<void> {
    const onDisk = this.#waitForDisk();
    this.#maintainAfterCurrent();
    return onDisk;
  }

  async #syncOverdueRows(): Promise<void> {
    try {
      await this.#syncToDisk();
    } catch (error) {
      if (this.#dependencies.settings.whenUnwritable === 'refuse') throw error;
    }
  }

  /** Syncs committed rows to disk, then applies retention. Never throws: an error becomes the problem of the audit. */
  maintain(): Promise<void> {
    this.#maintenance ??= this.#runMaintenance().finally(() => {
      this.#maintenance = undefined;
    });
    return this.#maintenance;
  }

  async #runMaintenance(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const waiting = this.#waitingForDisk;
    this.#waitingForDisk = undefined;
    try {
      if (this.#problem) await this.#recover();
      await this.#sync();
      waiting?.resolve();
      this.#recordAnchors(anchorIntervalMs);
      await this.#retainSlice();
      await this.#measure();
    } catch (thrown) {
      const error = toVpError(thrown);
      waiting?.reject(this.#unavailable(error));
      if (error.code !== 'STORE_CLOSED') this.#recordProblem(error);
    }
  }

  async #sync(): Promise<void> {
    let isSynced = false;
    this.#unsynced.beginSync();
    try {
      await this.#dependencies.database.writeDurably(this.#checkpoint());
      isSynced = true;
    } finally {
      this.#unsynced.endSync(isSynced);
    }
  }

  /** Deletes everything beyond the limits and returns the number of rows. */
  async applyRetention(): Promise<number> {
    let deleted = 0;
    for (let deletedRows = await this.#deleteSlice(); deletedRows > 0; deletedRows = await this.#deleteSlice())
      deleted += deletedRows;
    await this.#emptyLog();
    return deleted;
  }

  /** Syncs committed rows to disk; later calls are rejected. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopTimer?.();
    this.#stopAgeCheck?.();
    await this.#finishPreparing();
    await this.#batches.finish();
    await this.#maintenance;
    if (!this.#problem) {
      await this.#dependencies.database.writeDurably(this.#checkpoint());
      this.#recordAnchors(0);
      await this.#noting;
    }
    this.#waitingForDisk?.resolve();
    await this.#dependencies.database.close();
  }

  /** The checkpoints are on the disk: an anchor is never ahead of them. */
  #recordAnchors(intervalMs: number): void {
    const { anchors, clock, database, onError } = this.#dependencies;
    if (!anchors || clock.monotonicMs() - this.#notedAtMs < intervalMs) return;
    this.#notedAtMs = clock.monotonicMs();
    this.#noting = recordAnchors(database, anchors, clock.nowMs()).catch(onError);
  }

  #checkpoint(): (sql: Sql) => number {
    const nowMs = this.#dependencies.clock.nowMs();
    return (sql) => saveAuditCheckpoints(sql, nowMs);
  }

  #waitForDisk(): Promise<void> {
    this.#waitingForDisk ??= Promise.withResolvers();
    return this.#waitingForDisk.promise;
  }

  /** Rows expire even when no calls arrive. */
  #scheduleAgeCheck(): void {
    const { clock } = this.#dependencies;
    this.#stopAgeCheck = repeatEvery(clock, ageCheckIntervalMs, () => this.#maintainAfterCurrent());
  }

  #schedule(delayMs: number): void {
    this.#stopTimer ??= this.#dependencies.clock.after(delayMs, () => {
      this.#stopTimer = undefined;
      // The maintenance may wait for a slow disk first.
      this.#insertRecentCalls();
      this.#maintainAfterCurrent();
    });
  }

  /** Maintenance that is already running may have started before the rows that need it now. */
  #maintainAfterCurrent(): void {
    const previous = this.#maintenance ?? Promise.resolve();
    previous.then(() => (this.#isClosing ? undefined : this.maintain())).catch(this.#dependencies.onError);
  }

  #recordProblem(error: VpError): void {
    if (!this.#problem) this.#dependencies.onError(error);
    this.#problem = error;
    this.#schedule(retryMs);
  }

  #unavailable(problem: VpError): VpError {
    return vpError('AUDIT_UNAVAILABLE', { problem: problem.message }, { cause: problem });
  }

  #storeUnwritten(call: PreparedCall, problem: VpError): undefined {
    const isRefused = this.#dependencies.settings.whenUnwritable === 'refuse';
    if (call.entry.outcome === 'started') {
      // Written later, it would name a call that was not sent, or has its outcome.
      if (isRefused) this.#gaps.record(call.entry, 'refused');
    } else if (this.#unwritten.length < maxUnwritten) {
      this.#unwritten.push(call);
      if (isOutcomeUnknown(problem)) this.#uncertain.add(call);
    } else this.#gaps.record(call.entry, 'lost');
    if (isRefused) throw this.#unavailable(problem);
  }

  /** Frees space, then writes the buffered calls. Throws while there is no space. */
  async #recover(): Promise<void> {
    const { database, clock, keys, random, settings } = this.#dependencies;
    if ((await database.getUsedBytes()) > settings.maxBytes) await this.#deleteSlice();
    if ((await database.getFreeDiskBytes()) < settings.minFreeBytes) throw this.#diskFull();
    const gaps = this.#gaps.entries(clock.nowMs()).map((entry) => prepareCall(entry, keys, random));
    const unwritten = [...this.#unwritten, ...gaps];
    /** Replaces the calls and gaps of `unwritten`; calls that came since stay behind them. */
    const replaceUnwritten = (calls: readonly PreparedCall[]): void => {
      this.#unwritten = [...calls, ...this.#unwritten.slice(unwritten.length - gaps.length)];
      this.#gaps.clear();
    };
    try {
      await this.#batches.append(unwritten, this.#uncertain);
    } catch (thrown) {
      if (isOutcomeUnknown(toVpError(thrown))) {
        replaceUnwritten(unwritten);
        for (const call of unwritten) this.#uncertain.add(call);
      }
      throw thrown;
    }
    replaceUnwritten([]);
    for (const call of unwritten) this.#uncertain.delete(call);
    this.#problem = undefined;
  }

  async #measure(): Promise<void> {
    const { database, clock, settings } = this.#dependencies;
    if (clock.monotonicMs() - this.#measuredAtMs < retryMs) return;
    this.#measuredAtMs = clock.monotonicMs();
    if ((await database.getFreeDiskBytes()) < settings.minFreeBytes) throw this.#diskFull();
  }

  #diskFull(): VpError {
    return vpError('STORE_DISK_FULL', { file: this.#dependencies.database.file });
  }

  async #retainSlice(): Promise<void> {
    const { database, clock, settings } = this.#dependencies;
    const isLarge = (await database.getUsedBytes()) > settings.maxBytes;
    if (!isLarge && clock.monotonicMs() - this.#ageCheckedAtMs < ageCheckIntervalMs) return;
    this.#ageCheckedAtMs = clock.monotonicMs();
    // The remaining work continues in the next round, so that calls are written in between.
    if ((await this.#deleteSlice()) === 0) {
      await this.#emptyLog();
      return database.shrink();
    }
    this.#ageCheckedAtMs = Number.NEGATIVE_INFINITY;
    this.#schedule(settings.syncIntervalMs);
  }

  async #emptyLog(): Promise<void> {
    if (this.#hasErasedArguments) await this.#dependencies.database.truncateLog();
    this.#hasErasedArguments = false;
  }

  async #deleteSlice(): Promise<number> {
    const { database, recent, clock, settings, keys, mayDeleteByAge } = this.#dependencies;
    const nowMs = clock.nowMs();
    const isByAge = mayDeleteByAge();
    // The size of some seconds ago would go on deleting below the limit.
    const isLarge = (await database.measureUsedBytes()) > settings.maxBytes;
    const deleteSlice = (sql: Sql): number => {
      const erased = isByAge ? eraseExpiredArguments(sql, nowMs - settings.argumentsMaxAgeMs, keys) : 0;
      const aged = isByAge ? deleteExpiredEntries(sql, nowMs - settings.maxAgeMs, keys) : 0;
      const oldest = isLarge ? deleteOldestEntries(sql, keys) : 0;
      const deleted = erased + aged + oldest;
      this.#hasErasedArguments ||= deleted > 0;
      return deleted;
    };
    return await (recent ? recent.writeAndInsert(deleteSlice) : database.write(deleteSlice));
  }
}
