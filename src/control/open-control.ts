import { join } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { version } from '../environment/version.ts';
import type { VpError } from '../errors/vp-error.ts';
import { type ControlStore, openControlStore } from '../store/control/control-store.ts';
import type { Database } from '../store/database.ts';
import { createRepeatableClock, createRepeatableRandom } from '../store/postgres/recording.ts';

import type { RestoredStore } from '../store/restore-plan.ts';
import type { ClockJump, SteadyClock } from '../timing/steady-clock.ts';

import { createScenarioCatalogue } from './catalogue/catalogue.ts';
import { createQuarantinesService } from './catalogue/quarantines.ts';
import { createToolScenarios } from './catalogue/tool-scenarios.ts';
import { createChangeFeed } from './change-feed.ts';
import { openSteadyClock, storeClockState } from './clock.ts';
import type { ControlContext, ControlSettings } from './context.ts';
import { defaultControlSettings } from './context.ts';
import type { Control } from './control.ts';
import { createAuthenticator, ensureServiceKey } from './credentials.ts';
import { createControlGauges } from './gauges.ts';
import { createInstancesService } from './instances/instances.ts';
import { type Keyring, openKeyring } from './keyring.ts';
import { createExecutorPort } from './leases/executor-port.ts';
import { createComparisonService } from './runs/comparison.ts';
import { groupEarlierFailures } from './runs/failure-grouping.ts';
import { createFailuresService } from './runs/failures.ts';
import { createHealthService } from './runs/health.ts';
import { applyRetention, scheduleRetention } from './runs/retention.ts';
import { createRunsService } from './runs/runs.ts';
import { createStatisticsReader } from './runs/statistics.ts';
import { createControlRuntime } from './runtime.ts';
import { runSchedules } from './schedules/schedule-runner.ts';
import { createSchedulesService } from './schedules/schedules.ts';
import { createStatusPagesService } from './status-pages/status-pages.ts';
import { createSuitesService } from './suites/suites.ts';
import { createViewsService } from './views/views.ts';
import { observeWrites } from './write-health.ts';

/** `masterKey` is the value of VP_MASTER_KEY; `onError` receives errors of background work. */
export type ControlOptions = {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly pid: number;
  readonly masterKey?: string | undefined;
  readonly settings?: Partial<ControlSettings>;
  /** The operator says that the clock of the machine is right, although it jumped. */
  readonly isClockConfirmed?: boolean | undefined;
  /** Called when the clock jumped, and with undefined when it has settled. */
  readonly onClockChange?: ((jump: ClockJump | undefined) => void) | undefined;
  readonly onError: (error: unknown) => void;
  /** A restore that was interrupted has been completed. */
  readonly onRestored?: ((stores: readonly RestoredStore[]) => void) | undefined;
  /** A command has the folder's lock. Without this, a folder in use is refused at once. */
  readonly onWait?: ((error: VpError) => void) | undefined;
  /** On PostgreSQL; by default `control.db` of the folder. */
  readonly store?: ControlStore | undefined;
};

/** A control plane with the functions that only its own process may use. */
export type OpenControl = Control & {
  /** For services that share this store. */
  readonly database: Database;
  readonly keyring: Keyring;
  /** The time and the random numbers to use for everything that is stored. */
  readonly clock: SteadyClock;
  readonly random: Random;
  /** The key stored in `<folder>/owner.key` or `<folder>/scrape.key`. */
  serviceKey(kind: 'owner' | 'scrape'): Promise<string>;
  /** The first owner may have ended the owner key. */
  forgetCredentials(): void;
  /** Resolves when the runs that failed before failures were grouped are grouped. */
  failuresGrouped(): Promise<void>;
  /** Runs retention now. */
  retain(): Promise<void>;
};

/**
 * Opens a control plane on its data folder. Throws STORE_* (in use, corrupt, newer, key missing …); nothing stays open
 * then.
 */
export async function openControl(options: ControlOptions): Promise<OpenControl> {
  const { folder } = options;
  const random = options.store ? createRepeatableRandom(options.random) : options.random;
  const { clock: machineClock, pid, onWait, onRestored } = options;
  const wait = onWait && { clock: machineClock, onWait };
  const openStore = options.store ?? (await openControlStore({ folder, pid, onRestored, wait }));
  const { database, ...writes } = observeWrites(openStore, options.clock);
  const store = { ...openStore, database };
  try {
    const steadyClock = await openSteadyClock(options.clock, store.database, {
      isConfirmed: options.isClockConfirmed,
      onChange: options.onClockChange,
    });
    const clock = options.store ? createRepeatableClock(steadyClock) : steadyClock;
    const keyring = await openKeyring(store.database, { folder, variable: options.masterKey, clock, random });
    const settings = { ...defaultControlSettings(version), ...options.settings };
    return await createControl({ store, clock, random, settings, keyring, ...writes }, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function createControl(
  context: ControlContext,
  { folder, onError, store }: ControlOptions,
): Promise<OpenControl> {
  const runtime = await createControlRuntime(context, onError);
  const stopRetention = scheduleRetention(context, onError);
  const grouping = groupEarlierFailures(context, onError);
  const schedules = runSchedules(runtime, onError);
  const stopClock = storeClockState(context.clock, context.store.database, onError);
  return {
    database: context.store.database,
    keyring: context.keyring,
    clock: context.clock,
    random: context.random,
    instances: createInstancesService(runtime),
    catalogue: createScenarioCatalogue(runtime),
    runs: createRunsService(runtime),
    failures: createFailuresService(runtime),
    comparison: createComparisonService(runtime),
    health: createHealthService(runtime),
    quarantines: createQuarantinesService(runtime),
    schedules: createSchedulesService(runtime, schedules),
    suites: createSuitesService(runtime),
    views: createViewsService(runtime),
    statusPages: createStatusPagesService(runtime, onError),
    toolScenarios: createToolScenarios(runtime),
    statistics: createStatisticsReader(runtime),
    changes: createChangeFeed(runtime),
    gauges: createControlGauges(runtime),
    executorPort: (instance, keyHash) => createExecutorPort(runtime, instance, keyHash),
    authenticate: createAuthenticator(context, runtime.keyChanges),
    serviceKey: (kind) =>
      ensureServiceKey(context, runtime.keyChanges, kind, join(folder, `${kind}.key`), store !== undefined),
    forgetCredentials: () => runtime.keyChanges.notify(),
    failuresGrouped: () => grouping.done,
    retain: () => applyRetention(context),
    async close() {
      stopRetention();
      await schedules.stop();
      await grouping.stop();
      runtime.watch.stop();
      runtime.presence.stop();
      runtime.queueWakeups.close();
      runtime.endWakeups.close();
      await stopClock();
      await context.store.close();
    },
  };
}
