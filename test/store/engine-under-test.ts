/** The suite of the stores runs on each engine: `VP_TEST_STORE=postgres` chooses PostgreSQL. */
import { statSync } from 'node:fs';
import type { Test } from 'tap';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import { type Random, systemRandom } from '../../src/environment/random.ts';
import { type PostgresSettings, readPostgresSettings } from '../../src/store/postgres/connection-settings.ts';
import { createRepeatableClock, createRepeatableRandom } from '../../src/store/postgres/recording.ts';
import { openPostgresStores, type PostgresStores } from '../../src/store/postgres/stores.ts';
import { createTemplate, createTestDatabase } from '../postgres/test-database.ts';

export const isOnPostgres = process.env.VP_TEST_STORE === 'postgres';

/** A migrated database, which is copied for each test. */
let template: Promise<string> | undefined;

function readTestSettings(url: string): PostgresSettings {
  return readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
}

/** Few connections: a test may open the stores of a folder many times. */
function openStores(url: string): Promise<PostgresStores> {
  return openPostgresStores({ settings: readTestSettings(url), clock: systemClock, maxConnections: 6 });
}

async function prepareTemplate(url: string): Promise<void> {
  const stores = await openStores(url);
  await stores.control.close();
  await stores.audit.close();
  await stores.memory.close();
  await stores.close();
}

/** The URLs of data folders whose stores are on PostgreSQL: a test that opens a folder again meets its database again. */
const urls = new Map<string, string>();

/** A folder that was made anew under the same name is another one. */
function identify(folder: string): string {
  const { ino, birthtimeMs } = statSync(folder);
  return `${folder} ${ino} ${birthtimeMs}`;
}

/** `isControlOnly`: audit and memory are not used, so that the connections end with the control store. */
export type StoresUnderTestOptions = { readonly isControlOnly?: boolean };

/** The stores of `folder` on PostgreSQL, closed after the test; undefined when the tests run on SQLite. */
export async function openStoresUnderTest(
  t: Test,
  folder: string,
  options: StoresUnderTestOptions = {},
): Promise<PostgresStores | undefined> {
  if (!isOnPostgres) return undefined;
  template ??= createTemplate(prepareTemplate);
  const url = urls.get(identify(folder)) ?? (await createTestDatabase(t, { template: await template })).url;
  urls.set(identify(folder), url);
  const stores = await openStores(url);
  t.teardown(() => stores.close());
  const close = async (): Promise<void> => {
    await stores.control.close();
    // Tests that open a folder hundreds of times close nothing but its control plane.
    if (options.isControlOnly) await stores.close();
  };
  return { ...stores, control: { ...stores.control, close } };
}

/** Where the stores of `folder` are, for tests that read them as another process does; undefined when they are files. */
export function findSettingsUnderTest(folder: string): PostgresSettings | undefined {
  const url = isOnPostgres ? urls.get(identify(folder)) : undefined;
  return url === undefined ? undefined : readTestSettings(url);
}

/** A clock and random numbers for services that share the stores: on PostgreSQL, operations may read them again. */
export function getSourcesUnderTest<C extends Pick<Clock, 'nowMs' | 'monotonicMs'>>(
  clock: C,
  random: Random = systemRandom,
): { readonly clock: C; readonly random: Random } {
  if (!isOnPostgres) return { clock, random };
  return { clock: createRepeatableClock(clock), random: createRepeatableRandom(random) };
}

/** The `skip` of tests about SQLite: its files, its statements, how it gives space back. */
export const skipOnPostgres = isOnPostgres ? 'about SQLite' : false;
