import { join } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { version } from '../environment/version.ts';
import { openControlStore } from '../store/control/control-store.ts';
import type { Database } from '../store/database.ts';
import { createScenarioCatalogue } from './catalogue/catalogue.ts';
import { createChangeFeed } from './change-feed.ts';
import type { ControlContext, ControlSettings } from './context.ts';
import { defaultControlSettings } from './context.ts';
import type { Control } from './control.ts';
import { authenticateBearer, ensureServiceKey } from './credentials.ts';
import { createControlGauges } from './gauges.ts';
import { createInstancesService } from './instances/instances.ts';
import { type Keyring, openKeyring } from './keyring.ts';
import { createExecutorPort } from './leases/executor-port.ts';
import { applyRetention, scheduleRetention } from './runs/retention.ts';
import { createRunsService } from './runs/runs.ts';
import { createStatisticsReader } from './runs/statistics.ts';
import { createControlRuntime } from './runtime.ts';

/** `masterKey` is the value of VP_MASTER_KEY; `onError` receives errors of background work. */
export type ControlOptions = {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly pid: number;
  readonly masterKey?: string | undefined;
  readonly settings?: Partial<ControlSettings>;
  readonly onError: (error: unknown) => void;
};

/** A control plane with the functions that only its own process may use. */
export type OpenControl = Control & {
  /** For services that share this store. */
  readonly database: Database;
  readonly keyring: Keyring;
  /** The key stored in `<folder>/owner.key` or `<folder>/scrape.key`. */
  serviceKey(kind: 'owner' | 'scrape'): Promise<string>;
  /** Runs retention now. */
  retain(): Promise<void>;
};

/**
 * Opens a control plane on its data folder. Throws STORE_* (in use, corrupt, newer, key missing …); nothing stays open
 * then.
 */
export async function openControl(options: ControlOptions): Promise<OpenControl> {
  const { folder, clock, random } = options;
  const store = await openControlStore(folder, options.pid);
  try {
    const keyring = await openKeyring(store.database, { folder, variable: options.masterKey, clock, random });
    const settings = { ...defaultControlSettings(version), ...options.settings };
    return await createControl({ store, clock, random, settings, keyring }, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function createControl(context: ControlContext, { folder, onError }: ControlOptions): Promise<OpenControl> {
  const runtime = await createControlRuntime(context, onError);
  const stopRetention = scheduleRetention(context, onError);
  return {
    database: context.store.database,
    keyring: context.keyring,
    instances: createInstancesService(runtime),
    catalogue: createScenarioCatalogue(runtime),
    runs: createRunsService(runtime),
    statistics: createStatisticsReader(runtime),
    changes: createChangeFeed(runtime),
    gauges: createControlGauges(runtime),
    executorPort: (instance) => createExecutorPort(runtime, instance),
    authenticate: (token) => authenticateBearer(context, token),
    serviceKey: (kind) => ensureServiceKey(context, kind, join(folder, `${kind}.key`)),
    retain: () => applyRetention(context),
    async close() {
      stopRetention();
      runtime.watch.stop();
      runtime.presence.stop();
      runtime.queueWakeups.close();
      runtime.endWakeups.close();
      await context.store.close();
    },
  };
}
