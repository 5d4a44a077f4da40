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
import { readOutboxMeta, writeOutboxMeta } from '../../store/outbox/outbox-store.ts';
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
  retryRefusedReports,
} from '../../store/outbox/reports.ts';
import {
  abandonRunInSlot,
  finishRunInSlot,
  type LeasedRunStart,
  listAbandonedRuns,
  markAbandonedReported,
  type RunStartOutcome,
  startDirectRun,
  startLeasedRun,
  withdrawLeasedRun,
} from '../../store/outbox/slot.ts';
import type { Sql } from '../../store/sql.ts';
import { countFinished, createPositionReader, firstPosition } from './journal-position.ts';

/** What a new start reads from the store. */
export type RecoveredState = {
  readonly storeId: string;
  /** As found, before this start changed anything. */
  readonly position: JournalPosition;
  /** The file of the store is a copy of the one that the last start had open, which may still run. */
  readonly isCopied: boolean;
  /** As the last control plane returned it; undefined before the first. */
  readonly instance: string | undefined;
  readonly abandoned: readonly string[];
  readonly finished: readonly string[];
};

/** Maximum numbers that the `hello` may list (contract/executor-api.ts). */
const maxListed = { abandoned: 100, finished: 100_000 } as const;

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
  const { read } = database;
  const positions = createPositionReader();
  const acknowledgeReport = createAcknowledgeReport();
  let position = firstPosition;
  let finishedRuns = 0;
  /** Runs of this start whose progress may be stored; that of earlier starts is not in the slot. */
  const runsWithChain = new Set<string>();
  let handedInRun: string | undefined;

  /** Every change advances the position, so that an older copy of the store has a lower one. */
  async function change<T>(
    work: (sql: Sql) => T,
    noted: (before: JournalPosition) => Partial<JournalPosition>,
  ): Promise<T> {
    const { result, committed } = await database.write((sql) => {
      const result = work(sql);
      const before = positions.read(sql);
      const finished_runs = Math.max(before.finished_runs, finishedRuns);
      const committed = { ...before, finished_runs, ...noted(before), seq: before.seq + 1 };
      writeOutboxMeta(sql, 'position', positions.format(committed));
      return { result, committed };
    });
    if (committed.seq > position.seq) position = committed;
    return result;
  }

  /** First `acknowledged`, a leased run, leaves the outbox, and the run in the slot when the control plane has its report. */
  async function changeFreed<T>(
    work: (sql: Sql) => T,
    noted: (before: JournalPosition) => Partial<JournalPosition>,
    acknowledged?: string,
  ): Promise<T> {
    const slotRun = handedInRun;
    const result = await change((sql) => {
      if (slotRun !== undefined && slotRun !== acknowledged)
        acknowledgeReport(sql, { origin: 'queue', runId: slotRun });
      if (acknowledged !== undefined) acknowledgeReport(sql, { origin: 'queue', runId: acknowledged });
      return work(sql);
    }, noted);
    if (handedInRun === slotRun) handedInRun = undefined;
    return result;
  }

  const nothing = (): Partial<JournalPosition> => ({});
  return {
    recover: (random, fileIdentity) =>
      change((sql) => recoverState(sql, random, fileIdentity, positions.read(sql)), nothing),
    registerStart: ({ instance, epoch, run_totals: totals }) => {
      finishedRuns = countFinished(totals);
      const register = (sql: Sql): void => {
        markAbandonedReported(sql);
        writeOutboxMeta(sql, 'instance', instance);
      };
      return change(register, (before) => {
        const registered_at_ms = totals?.registered_at_ms ?? 0;
        const fence = registered_at_ms === before.registered_at_ms ? before.fence : 0;
        return { registered_at_ms, epoch, fence, finished_runs: finishedRuns };
      });
    },
    observeRunTotals(totals) {
      finishedRuns = Math.max(finishedRuns, countFinished(totals));
    },
    position: () => ({ ...position, finished_runs: Math.max(position.finished_runs, finishedRuns) }),
    finished: () => read((sql) => listPendingRunIds(sql, maxListed.finished)),
    start: (run, acknowledged) =>
      changeFreed(
        (sql) => startLeasedRun(sql, run),
        ({ fence }) => ({ fence: Math.max(fence, run.fence) }),
        acknowledged,
      ),
    noteHandedIn(runId) {
      handedInRun = runId;
    },
    startDirect: (nowMs) => changeFreed((sql) => startDirectRun(sql, nowMs), nothing),
    withdraw: (runId) => change((sql) => withdrawLeasedRun(sql, runId), nothing),
    noteChain: (chain) => {
      runsWithChain.add(chain.run_id);
      return change((sql) => saveChain(sql, chain), nothing);
    },
    hasChain: (runId) => runsWithChain.has(runId),
    dropChain: (run) => change((sql) => deleteChain(sql, run), nothing),
    adoptFile: (fileIdentity) => change((sql) => writeOutboxMeta(sql, 'file', fileIdentity), nothing),
    interruptedChains: () => read(listInterruptedChains),
    finishInterrupted: (run, report, scenarioText) =>
      change((sql) => finishInterruptedRun(sql, run, formatReportJson(report), scenarioText), nothing),
    finish: async (report, scenarioText) => {
      const text = formatReportJson(report);
      const origin = scenarioText === null ? 'queue' : 'direct';
      await change((sql) => {
        finishRunInSlot(sql, report.run_id, text, scenarioText);
        if (runsWithChain.has(report.run_id)) deleteChain(sql, { origin, runId: report.run_id });
      }, nothing);
      runsWithChain.delete(report.run_id);
    },
    acknowledge: ({ origin, runId }) =>
      origin === 'queue'
        ? changeFreed(() => {}, nothing, runId)
        : change((sql) => acknowledgeReport(sql, { origin, runId }), nothing),
    quarantine: (run, refusal) => change((sql) => markReportRefused(sql, run, refusal), nothing),
    oldest: (origin) => read((sql) => findOldestPendingReport(sql, origin)),
    waiting: (runId) => read((sql) => findPendingReport(sql, runId)),
    counts: () => read(countOutboxReports),
  };
}

function recoverState(
  sql: Sql,
  random: Random,
  fileIdentity: string | undefined,
  position: JournalPosition,
): RecoveredState {
  const storedFile = readOutboxMeta(sql, 'file');
  const isCopied = storedFile !== undefined && fileIdentity !== undefined && storedFile !== fileIdentity;
  if (storedFile === undefined && fileIdentity !== undefined) writeOutboxMeta(sql, 'file', fileIdentity);
  abandonRunInSlot(sql);
  retryRefusedReports(sql);
  const storedId = readOutboxMeta(sql, 'store_id');
  const storeId = storedId ?? random.token(16);
  if (storedId === undefined) writeOutboxMeta(sql, 'store_id', storeId);
  const instance = readOutboxMeta(sql, 'instance');
  return {
    storeId,
    position,
    isCopied,
    instance,
    abandoned: listAbandonedRuns(sql, maxListed.abandoned),
    finished: listPendingRunIds(sql, maxListed.finished),
  };
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
