/** The executor's memory across restarts: what it started, and which reports no control plane has taken yet. */
import type { Random } from '../environment/random.ts';
import type { Report } from '../report/report.ts';
import type { Database } from '../store/database.ts';
import { abandonedRuns, forgetAbandoned } from '../store/outbox/abandoned.ts';
import { readMeta, writeMeta } from '../store/outbox/meta.ts';
import {
  acknowledge,
  countReports,
  oldestWaiting,
  retryRefused,
  type StoredOrigin,
  type StoredRun,
  setApart,
  type WaitingReport,
  waitingLeased,
  waitingReport,
} from '../store/outbox/reports.ts';
import {
  abandonSlot,
  finishRun,
  type LeasedStart,
  type StartOutcome,
  startDirect,
  startLeased,
} from '../store/outbox/slot.ts';
import type { Sql } from '../store/sql.ts';

/** What a new start finds. */
export type Inheritance = {
  readonly storeId: string;
  /** As the last control plane said; undefined before the first. */
  readonly instance: string | undefined;
  readonly abandoned: readonly string[];
  readonly finished: readonly string[];
};

/** As many as the greeting may tell (contract/executor-api.ts). */
const told = { abandoned: 100, finished: 100_000 } as const;

/** Every change is committed when its promise resolves. */
export type Outbox = {
  /** Ends what the last start left: its run in the slot is abandoned, refused reports are tried again. */
  inherit(random: Random): Promise<Inheritance>;
  /** The control plane knows the instance and has been told what was abandoned. */
  greeted(instance: string): Promise<void>;
  /** Takes the slot; in the same commit `acknowledged`, the leased run before, leaves the outbox. */
  start(run: LeasedStart, acknowledged: string | undefined): Promise<StartOutcome>;
  startDirect(nowMs: number): Promise<StartOutcome>;
  /** Frees the slot; the report waits from now on. `scenarioText` only of a direct run. */
  finish(report: Report, scenarioText: string | null): Promise<void>;
  acknowledge(run: StoredRun): Promise<void>;
  setApart(run: StoredRun, refusal: string): Promise<void>;
  oldest(origin: StoredOrigin): Promise<WaitingReport | undefined>;
  /** The report of a leased run, if it waits. */
  waiting(runId: string): Promise<WaitingReport | undefined>;
  counts(): Promise<{ readonly waiting: number; readonly refused: number }>;
};

/** The outbox on an open store of `outboxStoreKind`. */
export function outboxOn(database: Database): Outbox {
  const { read, write } = database;
  return {
    inherit: (random) => write((sql) => inherit(sql, random)),
    greeted: (instance) =>
      write((sql) => {
        forgetAbandoned(sql);
        writeMeta(sql, 'instance', instance);
      }),
    start: (run, acknowledged) =>
      write((sql) => {
        if (acknowledged !== undefined) acknowledge(sql, { origin: 'queue', runId: acknowledged });
        return startLeased(sql, run);
      }),
    startDirect: (nowMs) => write((sql) => startDirect(sql, nowMs)),
    finish: async (report, scenarioText) => {
      const text = JSON.stringify(report);
      await write((sql) => finishRun(sql, report.run_id, text, scenarioText));
    },
    acknowledge: (run) => write((sql) => acknowledge(sql, run)),
    setApart: (run, refusal) => write((sql) => setApart(sql, run, refusal)),
    oldest: (origin) => read((sql) => oldestWaiting(sql, origin)),
    waiting: (runId) => read((sql) => waitingReport(sql, runId)),
    counts: () => read(countReports),
  };
}

function inherit(sql: Sql, random: Random): Inheritance {
  abandonSlot(sql);
  retryRefused(sql);
  const storeId = readMeta(sql, 'store_id') ?? random.token(16);
  writeMeta(sql, 'store_id', storeId);
  const instance = readMeta(sql, 'instance');
  return {
    storeId,
    instance,
    abandoned: abandonedRuns(sql, told.abandoned),
    finished: waitingLeased(sql, told.finished),
  };
}
