/** Opens a control plane on its data folder. */
import { join } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { version } from '../environment/version.ts';
import { openControlStore } from '../store/control/open.ts';
import type { Database } from '../store/database.ts';
import { catalogueOf } from './catalogue.ts';
import { changesOf } from './changes.ts';
import type { ControlContext, ControlSettings } from './context.ts';
import type { Control } from './control.ts';
import { authenticate, ensureServiceKey } from './credentials.ts';
import { executorPort } from './executor-port.ts';
import { gaugesOf } from './gauges.ts';
import { instancesOf } from './instances.ts';
import { type Keyring, openKeyring } from './keyring.ts';
import { createParts } from './parts.ts';
import { applyRetention, keepRetention } from './retention.ts';
import { runsOf } from './runs.ts';
import { defaultSettings } from './settings.ts';
import { statisticsFor } from './statistics.ts';

/** `masterKey` is the value of VP_MASTER_KEY; `onFault` is told of faults in background work. */
export type ControlOptions = {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly pid: number;
  readonly masterKey?: string | undefined;
  readonly settings?: Partial<ControlSettings>;
  readonly onFault: (fault: unknown) => void;
};

/** A control plane with what only its own process may do. */
export type OpenControl = Control & {
  /** For what else is kept in this store. */
  readonly database: Database;
  readonly keyring: Keyring;
  /** The key kept in `<folder>/owner.key` or `<folder>/scrape.key`. */
  serviceKey(kind: 'owner' | 'scrape'): Promise<string>;
  /** One round of retention now. */
  retain(): Promise<void>;
};

/** Opens. Throws STORE_* (in use, corrupt, newer, key missing …); nothing stays open then. */
export async function openControl(options: ControlOptions): Promise<OpenControl> {
  const { folder, clock, random } = options;
  const store = await openControlStore(folder, options.pid);
  try {
    const keyring = await openKeyring(store.database, { folder, variable: options.masterKey, clock, random });
    const settings = { ...defaultSettings(version), ...options.settings };
    return await controlOn({ store, clock, random, settings, keyring }, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function controlOn(context: ControlContext, { folder, onFault }: ControlOptions): Promise<OpenControl> {
  const parts = await createParts(context, onFault);
  const stopRetention = keepRetention(context, onFault);
  return {
    database: context.store.database,
    keyring: context.keyring,
    instances: instancesOf(parts),
    catalogue: catalogueOf(parts),
    runs: runsOf(parts),
    statistics: statisticsFor(parts),
    changes: changesOf(parts),
    gauges: gaugesOf(parts),
    executorOf: (instance) => executorPort(parts, instance),
    authenticate: (token) => authenticate(context, token),
    serviceKey: (kind) => ensureServiceKey(context, kind, join(folder, `${kind}.key`)),
    retain: () => applyRetention(context),
    async close() {
      stopRetention();
      parts.watch.stop();
      parts.presences.stop();
      parts.queueWakes.close();
      parts.endWakes.close();
      await context.store.close();
    },
  };
}
