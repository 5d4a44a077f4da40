/** Requests what is due, while the control plane runs. On PostgreSQL that is the active replica. */
import { formatRunId } from '../../run/run-id.ts';
import { listActiveSchedules } from '../../store/control/schedules/schedules.ts';
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

/** Tells those who wait for the queue, after the commit. */
export function announceTick(runtime: ControlRuntime, instance: string, { runIds }: TickResult): void {
  if (runIds.length === 0) return;
  runtime.totals.recordRequested(runIds.length);
  runtime.queueWakeups.wake(instance);
}

export function runSchedules(runtime: ControlRuntime, onError: (error: unknown) => void): ScheduleRunner {
  const { context } = runtime;
  const { clock } = context;
  const { database } = context.store;
  let isStopped = false;
  let isAwake = false;
  let cancelTimer = (): void => {};
  let current = Promise.resolve();

  /** Returns when to look again; undefined without schedules. */
  async function handleAll(): Promise<number | undefined> {
    const rows = await database.read(listActiveSchedules);
    const nowMs = clock.nowMs();
    for (const row of rows) {
      if (isStopped) return undefined;
      const key = toKey(row);
      const isTimed = readDefinition(row).on === undefined;
      const isDue = isTimed && (row.tick_at_ms === null || (row.due_at_ms ?? nowMs) <= nowMs);
      const isOnVersion = readDefinition(row).on === 'new_version';
      if (!isDue && !isOnVersion) continue;
      const handle = isTimed ? handleDueTick : handleNewVersion;
      const result = await database.write((sql) => handle(context, sql, key));
      if (result) announceTick(runtime, key.instance, result);
    }
    return await findWaitMs();
  }

  async function findWaitMs(): Promise<number | undefined> {
    const rows = await database.read(listActiveSchedules);
    if (rows.length === 0) return undefined;
    const nowMs = clock.nowMs();
    const dueMs = rows.flatMap(({ due_at_ms: dueAtMs }) => (dueAtMs === null ? [] : [dueAtMs]));
    const isWatching = rows.some((row) => readDefinition(row).on === 'new_version');
    return Math.max(10, Math.min(isWatching ? versionIntervalMs : maxWaitMs, ...dueMs.map((ms) => ms - nowMs)));
  }

  async function look(): Promise<void> {
    let waitMs: number | undefined;
    do {
      isAwake = false;
      try {
        waitMs = await handleAll();
      } catch (error) {
        waitMs = retryMs;
        if (!isStopped) onError(error);
      }
    } while (isAwake && !isStopped);
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
