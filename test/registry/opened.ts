/** A registry on a real store, for the length of a test. */
import type { Test } from 'tap';
import { openControl } from '../../src/control/open.ts';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import type { RegistryEvent, RegistrySettings } from '../../src/registry/context.ts';
import { createRegistry, type Registry } from '../../src/registry/registry.ts';
import type { Database } from '../../src/store/database.ts';

/** What a test holds in its hands; `events` is what was told of security. */
export type Opened = {
  readonly registry: Registry;
  readonly database: Database;
  readonly events: RegistryEvent[];
  /** As after a restart, and with other settings. */
  again(settings?: Partial<RegistrySettings>): Registry;
};

/** Opens one; `resolvers` are the name servers it asks. */
export async function opened(
  t: Test,
  {
    clock = systemClock,
    settings = {},
    resolvers = [],
  }: { clock?: Clock; settings?: Partial<RegistrySettings>; resolvers?: readonly string[] } = {},
): Promise<Opened> {
  const onFault = (fault: unknown): void => {
    t.fail(`background work failed: ${String(fault)}`);
  };
  const control = await openControl({ folder: t.testdir(), clock, random: systemRandom, pid: process.pid, onFault });
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => {
    clearInterval(hold);
    return control.close();
  });
  const events: RegistryEvent[] = [];
  const again = (changed = settings): Registry =>
    createRegistry({
      database: control.database,
      hashKey: control.keyring.tokenHashKey,
      clock,
      random: systemRandom,
      settings: changed,
      resolvers,
      tell: (event) => events.push(event),
    });
  return { registry: again(), database: control.database, events, again };
}
