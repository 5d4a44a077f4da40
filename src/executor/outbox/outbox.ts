/** The executor's persistent state: what it started, and which reports the control plane has not accepted yet. */

import type { HelloResponse, InstanceRunTotals, JournalPosition } from '../../contract/executor-api.ts';
import { ReportSchema } from '../../contract/report-schema.ts';
import type { Random } from '../../environment/random.ts';
import { createValidator } from '../../http/schema/validator.ts';
import type { Report } from '../../report/report.ts';
import { formatReportJson } from '../../report/report-text.ts';
import type { Database } from '../../store/database.ts';
import {
  type ChainRow,
  deleteChain,
  finishInterruptedRun,
  listInterruptedChains,
  saveChain,
} from '../../store/outbox/chains.ts';
import { writeOutboxMeta } from '../../store/outbox/outbox-store.ts';
import {
  countOutboxReports,
  createAcknowledgeReport,
  findOldestPendingReport,
  findPendingReport,
  listPendingRunIds,
  markReportRefused,
  type OutboxOrigin,
  type OutboxRun,
  type PendingReport,
} from '../../store/outbox/reports.ts';
import {
  finishRunInSlot,
  type LeasedRunStart,
  markAbandonedReported,
  type RunStartOutcome,
  startDirectRun,
  startLeasedRun,
  withdrawLeasedRun,
} from '../../store/outbox/slot.ts';
import type { Sql } from '../../store/sql.ts';
import { type AdvancePosition, countFinished, Journal } from './journal.ts';
import { maxListed, type RecoveredState, recoverState } from './recovered-state.ts';

/** Every change is committed when its promise resolves. */
export type Outbox = {
  /**
   * Cleans up after the previous start: its run in the slot is abandoned, refused reports are retried. Without a `fileIdentity`
   * it is not known whether the store is a copy.
   */
  recover(random: Random, fileIdentity?: string): Promise<RecoveredState>;
  /** The control plane accepted the hello: it has received the list of abandoned runs. */
  registerStart(welcome: HelloResponse): Promise<void>;
  /** The control plane said how many runs have finished; stored with the next change. */
  observeRunTotals(totals: InstanceRunTotals | undefined): void;
  /** As committed last. */
  position(): JournalPosition;
  /** Leased runs whose report waits. */
  finished(): Promise<string[]>;
  /** Takes the slot; in the same commit `acknowledged`, the previous leased run, leaves the outbox. */
  start(run: LeasedRunStart, acknowledged: string | undefined): Promise<RunStartOutcome>;
  /** The control plane has the report of the leased run in the slot, which was not stored: the next start or acknowledgement frees the slot. */
  noteHandedIn(runId: string): void;
  startDirect(nowMs: number): Promise<RunStartOutcome>;
  /** Frees the slot of a leased run that was not sent and will not be. */
  withdraw(runId: string): Promise<void>;
  /** Stores how far a run of several requests has come. */
  noteChain(chain: ChainRow): Promise<void>;
  /** Whether this start has stored that. */
  hasChain(runId: string): boolean;
  /** Runs of several requests that earlier starts left unfinished. */
  interruptedChains(): Promise<readonly ChainRow[]>;
  dropChain(run: OutboxRun): Promise<void>;
  /** Nothing of what a copied store knew is left to be done: from now on it is a store of its own. */
  adoptFile(fileIdentity: string): Promise<void>;
  /** Stores the report of such a run. `scenarioText` only for a direct run. */
  finishInterrupted(run: OutboxRun, report: Report, scenarioText: string | null): Promise<void>;
  /** Frees the slot and stores the report. `scenarioText` only for a direct run. */
  finish(report: Report, scenarioText: string | null): Promise<void>;
  acknowledge(run: OutboxRun): Promise<void>;
  quarantine(run: OutboxRun, refusal: string): Promise<void>;
  oldest(origin: OutboxOrigin): Promise<PendingReport | undefined>;
  /** The waiting report of a leased run. */
  waiting(runId: string): Promise<PendingReport | undefined>;
  counts(): Promise<{ readonly waiting: number; readonly refused: number }>;
};

/** Creates the outbox on an open store of `outboxStoreKind`. */
export function createOutbox(database: Database): Outbox {
  return new StoredOutbox(database);
}

class StoredOutbox implements Outbox {
  readonly #database: Pick<Database, 'read'>;
  readonly #journal: Journal;
  readonly #acknowledgeReport = createAcknowledgeReport();
  /** Runs of this start whose progress may be stored; that of earlier starts is not in the slot. */
  readonly #runsWithChain = new Set<string>();
  #handedInRun: string | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#journal = new Journal(database);
  }

  recover(random: Random, fileIdentity?: string): Promise<RecoveredState> {
    return this.#journal.change((sql) => recoverState(sql, random, fileIdentity, this.#journal.readPosition(sql)));
  }

  registerStart({ instance, epoch, run_totals: totals }: HelloResponse): Promise<void> {
    const finished_runs = countFinished(totals);
    this.#journal.replaceFinishedRuns(finished_runs);
    const register = (sql: Sql): void => {
      markAbandonedReported(sql);
      writeOutboxMeta(sql, 'instance', instance);
    };
    return this.#journal.change(register, (before) => {
      const registered_at_ms = totals?.registered_at_ms ?? 0;
      const fence = registered_at_ms === before.registered_at_ms ? before.fence : 0;
      return { registered_at_ms, epoch, fence, finished_runs };
    });
  }

  observeRunTotals(totals: InstanceRunTotals | undefined): void {
    this.#journal.observeFinishedRuns(countFinished(totals));
  }

  position(): JournalPosition {
    return this.#journal.position;
  }

  finished(): Promise<string[]> {
    return this.#database.read((sql) => listPendingRunIds(sql, maxListed.finished));
  }

  start(run: LeasedRunStart, acknowledged: string | undefined): Promise<RunStartOutcome> {
    return this.#changeAcknowledged(
      acknowledged,
      (sql) => startLeasedRun(sql, run),
      ({ fence }) => ({ fence: Math.max(fence, run.fence) }),
    );
  }

  noteHandedIn(runId: string): void {
    this.#handedInRun = runId;
  }

  startDirect(nowMs: number): Promise<RunStartOutcome> {
    return this.#changeAcknowledged(undefined, (sql) => startDirectRun(sql, nowMs));
  }

  withdraw(runId: string): Promise<void> {
    return this.#journal.change((sql) => withdrawLeasedRun(sql, runId));
  }

  noteChain(chain: ChainRow): Promise<void> {
    this.#runsWithChain.add(chain.run_id);
    return this.#journal.change((sql) => saveChain(sql, chain));
  }

  hasChain(runId: string): boolean {
    return this.#runsWithChain.has(runId);
  }

  interruptedChains(): Promise<readonly ChainRow[]> {
    return this.#database.read(listInterruptedChains);
  }

  dropChain(run: OutboxRun): Promise<void> {
    return this.#journal.change((sql) => deleteChain(sql, run));
  }

  adoptFile(fileIdentity: string): Promise<void> {
    return this.#journal.change((sql) => writeOutboxMeta(sql, 'file', fileIdentity));
  }

  finishInterrupted(run: OutboxRun, report: Report, scenarioText: string | null): Promise<void> {
    return this.#journal.change((sql) => finishInterruptedRun(sql, run, formatReportJson(report), scenarioText));
  }

  async finish(report: Report, scenarioText: string | null): Promise<void> {
    const text = formatReportJson(report);
    const origin = scenarioText === null ? 'queue' : 'direct';
    await this.#journal.change((sql) => {
      finishRunInSlot(sql, report.run_id, text, scenarioText);
      if (this.#runsWithChain.has(report.run_id)) deleteChain(sql, { origin, runId: report.run_id });
    });
    this.#runsWithChain.delete(report.run_id);
  }

  acknowledge(run: OutboxRun): Promise<void> {
    return run.origin === 'queue'
      ? this.#changeAcknowledged(run.runId, () => {})
      : this.#journal.change((sql) => this.#acknowledgeReport(sql, run));
  }

  quarantine(run: OutboxRun, refusal: string): Promise<void> {
    return this.#journal.change((sql) => markReportRefused(sql, run, refusal));
  }

  oldest(origin: OutboxOrigin): Promise<PendingReport | undefined> {
    return this.#database.read((sql) => findOldestPendingReport(sql, origin));
  }

  waiting(runId: string): Promise<PendingReport | undefined> {
    return this.#database.read((sql) => findPendingReport(sql, runId));
  }

  counts(): Promise<{ readonly waiting: number; readonly refused: number }> {
    return this.#database.read(countOutboxReports);
  }

  /** First `acknowledged`, a leased run, leaves the outbox, and the run in the slot when the control plane has its report. */
  async #changeAcknowledged<T>(
    acknowledged: string | undefined,
    work: (sql: Sql) => T,
    advance?: AdvancePosition,
  ): Promise<T> {
    const slotRun = this.#handedInRun;
    const result = await this.#journal.change((sql) => {
      if (slotRun !== undefined && slotRun !== acknowledged)
        this.#acknowledgeReport(sql, { origin: 'queue', runId: slotRun });
      if (acknowledged !== undefined) this.#acknowledgeReport(sql, { origin: 'queue', runId: acknowledged });
      return work(sql);
    }, advance);
    if (this.#handedInRun === slotRun) this.#handedInRun = undefined;
    return result;
  }
}

const validator = createValidator<Report>(ReportSchema);

/**
 * A report from the outbox; undefined when it does not match the schema (another version may have written it
 * differently).
 */
export function parseStoredReport(text: string): Report | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return validator.isValid(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
