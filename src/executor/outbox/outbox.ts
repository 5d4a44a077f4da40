/** The executor's persistent state: what it started, and which reports the control plane has not accepted yet. */

import { ReportSchema } from '../../contract/report-schema.ts';
import type { Random } from '../../environment/random.ts';
import { createValidator } from '../../http/schema/validator.ts';
import type { Report } from '../../report/report.ts';
import type { Database } from '../../store/database.ts';
import { readOutboxMeta, writeOutboxMeta } from '../../store/outbox/meta.ts';
import {
  acknowledgeReport,
  countOutboxReports,
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
} from '../../store/outbox/slot.ts';
import type { Sql } from '../../store/sql.ts';

/** What a new start reads from the store. */
export type RecoveredState = {
  readonly storeId: string;
  /** As the last control plane returned it; undefined before the first. */
  readonly instance: string | undefined;
  readonly abandoned: readonly string[];
  readonly finished: readonly string[];
};

/** Maximum numbers that the `hello` may list (contract/executor-api.ts). */
const maxListed = { abandoned: 100, finished: 100_000 } as const;

/** Every change is committed when its promise resolves. */
export type Outbox = {
  /** Cleans up after the previous start: its run in the slot is abandoned, refused reports are retried. */
  recover(random: Random): Promise<RecoveredState>;
  /** The control plane knows the instance and has received the list of abandoned runs. */
  registerInstance(instance: string): Promise<void>;
  /** Takes the slot; in the same commit `acknowledged`, the previous leased run, leaves the outbox. */
  start(run: LeasedRunStart, acknowledged: string | undefined): Promise<RunStartOutcome>;
  startDirect(nowMs: number): Promise<RunStartOutcome>;
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
  const { read, write } = database;
  return {
    recover: (random) => write((sql) => recoverState(sql, random)),
    registerInstance: (instance) =>
      write((sql) => {
        markAbandonedReported(sql);
        writeOutboxMeta(sql, 'instance', instance);
      }),
    start: (run, acknowledged) =>
      write((sql) => {
        if (acknowledged !== undefined) acknowledgeReport(sql, { origin: 'queue', runId: acknowledged });
        return startLeasedRun(sql, run);
      }),
    startDirect: (nowMs) => write((sql) => startDirectRun(sql, nowMs)),
    finish: async (report, scenarioText) => {
      const text = JSON.stringify(report);
      await write((sql) => finishRunInSlot(sql, report.run_id, text, scenarioText));
    },
    acknowledge: (run) => write((sql) => acknowledgeReport(sql, run)),
    quarantine: (run, refusal) => write((sql) => markReportRefused(sql, run, refusal)),
    oldest: (origin) => read((sql) => findOldestPendingReport(sql, origin)),
    waiting: (runId) => read((sql) => findPendingReport(sql, runId)),
    counts: () => read(countOutboxReports),
  };
}

function recoverState(sql: Sql, random: Random): RecoveredState {
  abandonRunInSlot(sql);
  retryRefusedReports(sql);
  const storeId = readOutboxMeta(sql, 'store_id') ?? random.token(16);
  writeOutboxMeta(sql, 'store_id', storeId);
  const instance = readOutboxMeta(sql, 'instance');
  return {
    storeId,
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
