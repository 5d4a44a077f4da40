/** Requests what is due, while the control plane runs. On PostgreSQL that is the active replica. */
import { VpError } from '../../errors/vp-error.ts';
import { formatRunId } from '../../run/run-id.ts';
import { listActiveSchedules, type ScheduleRow } from '../../store/control/schedules/schedules.ts';
import type { Sql } from '../../store/sql.ts';
import { queueAndOffer } from '../leases/queue-and-offer.ts';
import type { ControlRuntime } from '../runtime.ts';
import { handleDueTick, handleNewVersion, readDefinition, type TickResult, toKey } from './request-tick.ts';

/** Also after a jump of the clock or a sleep of the machine, the next look is not later than this. */
const maxWaitMs = 15_000;
const versionIntervalMs = 5_000;
const retryMs = 5_000;

export type ScheduleRunner = {
  /** Call it when schedules were changed. */
  wake(): void;
  /** Resolves when the work that has begun is done. */
  stop(): Promise<void>;
};

const countRuns = (result: TickResult | undefined): number => result?.runIds.length ?? 0;

/** Runs `handle` in a transaction, and gives its runs to the executor like those of a request. */
export async function handleTick(
  runtime: ControlRuntime,
  instance: string,
  handle: (sql: Sql) => TickResult | undefined,
): Promise<TickResult | undefined> {
  const result = await queueAndOffer(runtime, instance, (sql) => {
    const value = handle(sql);
    return { value, isEmpty: countRuns(value) === 0 };
  });
  if (countRuns(result) > 0) runtime.totals.recordRequested(countRuns(result));
  return result;
}

function toText({ instance_id: instance, id }: ScheduleRow): string {
  return `${instance}/${id}`;
}

/** All schedules would meet it. */
function concernsStore(error: unknown): boolean {
  return error instanceof VpError && error.code.startsWith('STORE_');
}

export function runSchedules(runtime: ControlRuntime, onError: (error: unknown) => void): ScheduleRunner {
  const { context } = runtime;
  const { clock } = context;
  const { database } = context.store;
  let isStopped = false;
  let isAwake = false;
  let cancelTimer = (): void => {};
  let current = Promise.resolve();
  /** The definitions of schedules that failed. */
  const reported = new Map<string, string>();

  async function handleRow(row: ScheduleRow): Promise<void> {
    const { on } = readDefinition(row);
    const nowMs = clock.nowMs();
    const isDue = on === undefined && (row.tick_at_ms === null || (row.due_at_ms ?? nowMs) <= nowMs);
    if (!isDue && on !== 'new_version') return;
    const handle = on === undefined ? handleDueTick : handleNewVersion;
    const key = toKey(row);
    await handleTick(runtime, key.instance, (sql) => handle(context, sql, key));
  }

  /** Returns when to look again; undefined without schedules. */
  async function handleAll(): Promise<number | undefined> {
    const failed = new Set<string>();
    for (const row of await database.read(listActiveSchedules)) {
      if (isStopped) return undefined;
      try {
        await handleRow(row);
      } catch (error) {
        if (concernsStore(error)) throw error;
        failed.add(toText(row));
        // Once, until its definition changes: it is tried again at every look.
        if (reported.get(toText(row)) !== row.definition) onError(error);
        reported.set(toText(row), row.definition);
      }
    }
    for (const schedule of reported.keys()) if (!failed.has(schedule)) reported.delete(schedule);
    return await findNextLookMs(failed);
  }

  async function findNextLookMs(failed: ReadonlySet<string>): Promise<number | undefined> {
    const rows = await database.read(listActiveSchedules);
    if (rows.length === 0) return undefined;
    const nowMs = clock.nowMs();
    const dueMs = rows.flatMap((row) => (row.due_at_ms === null || failed.has(toText(row)) ? [] : [row.due_at_ms]));
    const isWatching = rows.some((row) => readDefinition(row).on === 'new_version');
    const longestMs = Math.min(isWatching ? versionIntervalMs : maxWaitMs, failed.size > 0 ? retryMs : maxWaitMs);
    return Math.min(nowMs + longestMs, ...dueMs);
  }

  async function look(): Promise<void> {
    let nextMs: number | undefined;
    do {
      isAwake = false;
      try {
        nextMs = await handleAll();
      } catch (error) {
        nextMs = clock.nowMs() + retryMs;
        if (!isStopped) onError(error);
      }
    } while (isAwake && !isStopped);
    // Time has passed since it was computed, and the clock may have jumped.
    const waitMs = nextMs === undefined ? undefined : Math.max(10, Math.min(maxWaitMs, nextMs - clock.nowMs()));
    if (!isStopped && waitMs !== undefined) cancelTimer = clock.after(waitMs, start);
    isRunning = false;
  }

  let isRunning = false;
  function start(): void {
    if (isStopped) return;
    isAwake = true;
    if (isRunning) return;
    isRunning = true;
    cancelTimer();
    current = look();
  }

  start();
  return {
    wake: start,
    async stop() {
      isStopped = true;
      cancelTimer();
      await current;
    },
  };
}

export function toRunIds(json: string): string[] {
  const ids: readonly number[] = JSON.parse(json);
  return ids.map((id) => formatRunId(id));
}
