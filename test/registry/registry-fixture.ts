/** A registry on a real store. */

import type { Test } from 'tap';
import { openControl } from '../../src/control/open-control.ts';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import type { RegistryEvent, RegistrySettings } from '../../src/registry/context.ts';
import { createRegistry, type Registry } from '../../src/registry/registry.ts';
import type { Database } from '../../src/store/database.ts';
import { getSourcesUnderTest, openStoresUnderTest } from '../store/engine-under-test.ts';

/** `events` are the logged security events. */
export type TestRegistry = {
  readonly registry: Registry;
  readonly database: Database;
  readonly events: RegistryEvent[];
  /** A new registry on the same store, as after a restart. */
  reopen(settings?: Partial<RegistrySettings>): Registry;
};

/** `resolvers` are the name servers that it queries. */
export async function openTestRegistry(
  t: Test,
  {
    clock: givenClock = systemClock,
    settings = {},
    resolvers = [],
  }: { clock?: Clock; settings?: Partial<RegistrySettings>; resolvers?: readonly string[] } = {},
): Promise<TestRegistry> {
  const onFault = (fault: unknown): void => {
    t.fail(`background work failed: ${String(fault)}`);
  };
  const folder = t.testdir();
  const stores = await openStoresUnderTest(t, folder);
  const { clock, random } = getSourcesUnderTest(givenClock);
  const control = await openControl({
    ...{ folder, clock, random, store: stores?.control },
    pid: process.pid,
    onError: onFault,
  });
  const keepAlive = setInterval(() => undefined, 1000);
  t.teardown(() => {
    clearInterval(keepAlive);
    return control.close();
  });
  const events: RegistryEvent[] = [];
  const reopen = (changedSettings = settings): Registry =>
    createRegistry({
      database: control.database,
      hashKey: control.keyring.tokenHashKey,
      clock,
      random,
      settings: changedSettings,
      resolvers,
      logEvent: (event) => events.push(event),
    });
  return { registry: reopen(), database: control.database, events, reopen };
}
