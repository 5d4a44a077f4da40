/** Requests what is due, while the control plane runs. On PostgreSQL that is the active replica. */
import { VpError } from '../../errors/vp-error.ts';
import { listActiveSchedules, type ScheduleRow } from '../../store/control/schedules/schedules.ts';
import type { Sql } from '../../store/sql.ts';
import { WorkLoop } from '../../timing/work-loop.ts';
import { queueAndOffer } from '../leases/queue-and-offer.ts';
import type { ControlRuntime } from '../runtime.ts';
import { handleDueTick, handleNewVersion, readDefinition, type TickResult, toKey } from './request-tick.ts';

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

/** Starts at once. */
export function runSchedules(runtime: ControlRuntime, onError: (error: unknown) => void): ScheduleRunner {
  const { clock } = runtime.context;
  const schedules = new DueSchedules(runtime, onError);
  const work = (): Promise<number | undefined> => schedules.handleAll(() => loop.isStopped);
  const loop = new WorkLoop({ clock, work, maxWaitMs, retryMs, onError });
  loop.wake();
  return { wake: () => loop.wake(), stop: () => loop.stop() };
}

class DueSchedules {
  readonly #runtime: ControlRuntime;
  readonly #onError: (error: unknown) => void;
  /** The definitions of schedules that failed: an error is reported once, until its schedule has another definition. */
  readonly #reported = new Map<string, string>();

  constructor(runtime: ControlRuntime, onError: (error: unknown) => void) {
    this.#runtime = runtime;
    this.#onError = onError;
  }

  /** Returns when to look again; undefined without schedules. */
  async handleAll(isStopped: () => boolean): Promise<number | undefined> {
    const failed = new Set<string>();
    for (const row of await this.#listActive()) {
      if (isStopped()) return undefined;
      try {
        await this.#handle(row);
      } catch (error) {
        if (concernsStore(error)) throw error;
        failed.add(toText(row));
        this.#reportOnce(row, error);
      }
    }
    for (const schedule of this.#reported.keys()) if (!failed.has(schedule)) this.#reported.delete(schedule);
    return findNextLookMs(await this.#listActive(), failed, this.#runtime.context.clock.nowMs());
  }

  #listActive(): Promise<ScheduleRow[]> {
    return this.#runtime.context.store.database.read(listActiveSchedules);
  }

  async #handle(row: ScheduleRow): Promise<void> {
    const { context } = this.#runtime;
    const { on } = readDefinition(row);
    const nowMs = context.clock.nowMs();
    const isDue = on === undefined && (row.tick_at_ms === null || (row.due_at_ms ?? nowMs) <= nowMs);
    if (!isDue && on !== 'new_version') return;
    const handle = on === undefined ? handleDueTick : handleNewVersion;
    const key = toKey(row);
    await handleTick(this.#runtime, key.instance, (sql) => handle(context, sql, key));
  }

  #reportOnce(row: ScheduleRow, error: unknown): void {
    if (this.#reported.get(toText(row)) !== row.definition) this.#onError(error);
    this.#reported.set(toText(row), row.definition);
  }
}

/** Undefined without schedules. Schedules that failed are tried again after a while, although they are due. */
function findNextLookMs(rows: readonly ScheduleRow[], failed: ReadonlySet<string>, nowMs: number): number | undefined {
  if (rows.length === 0) return undefined;
  const dueMs = rows.flatMap((row) => (row.due_at_ms === null || failed.has(toText(row)) ? [] : [row.due_at_ms]));
  const isWatching = rows.some((row) => readDefinition(row).on === 'new_version');
  const longestMs = Math.min(isWatching ? versionIntervalMs : maxWaitMs, failed.size > 0 ? retryMs : maxWaitMs);
  return Math.min(nowMs + longestMs, ...dueMs);
}
