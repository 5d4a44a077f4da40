/** What identity works with, on a store of its own, for tests of its parts. */
import type { Test } from 'tap';
import { openControl } from '../../../src/control/open.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { createAttempts } from '../../../src/identity/attempts.ts';
import type { IdentityContext } from '../../../src/identity/context.ts';
import { createEnds } from '../../../src/identity/ends.ts';
import { createPasswords } from '../../../src/identity/passwords.ts';
import { createPersonEnds } from '../../../src/identity/person-ends.ts';
import { defaultIdentitySettings } from '../../../src/identity/settings.ts';

/** Opens it; closed after the test. */
export async function oauthContext(t: Test): Promise<IdentityContext> {
  const [clock, random, settings] = [systemClock, systemRandom, defaultIdentitySettings];
  const onFault = (fault: unknown): void => {
    t.fail(String(fault));
  };
  const control = await openControl({ folder: t.testdir(), clock, random, pid: process.pid, onFault });
  t.teardown(() => control.close());
  return {
    database: control.database,
    keys: control.keyring,
    clock,
    random,
    settings,
    passwords: createPasswords(settings, random),
    attempts: createAttempts(clock, settings),
    ends: createEnds(),
    personEnds: createPersonEnds(),
    tell: () => undefined,
    onFirstOwner: () => undefined,
  };
}
