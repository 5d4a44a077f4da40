/** An identity context on its own store, for unit tests. */

import type { Test } from 'tap';
import { openControl } from '../../../src/control/open-control.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { createPersonRemovalHooks } from '../../../src/identity/accounts/person-removal-hooks.ts';
import type { IdentityContext } from '../../../src/identity/context.ts';
import { createCredentialCaches } from '../../../src/identity/credential-caches.ts';
import { createPasswordHasher } from '../../../src/identity/passwords/password-hasher.ts';
import { createRevocationEvents } from '../../../src/identity/revocation-events.ts';
import { createSignInLimiter } from '../../../src/identity/sessions/sign-in-limiter.ts';
import { defaultIdentitySettings } from '../../../src/identity/settings.ts';
import { getSourcesUnderTest, openStoresUnderTest } from '../../store/engine-under-test.ts';

/** It is closed after the test. */
export async function createTestContext(t: Test): Promise<IdentityContext> {
  const settings = defaultIdentitySettings;
  const { clock, random } = getSourcesUnderTest(systemClock);
  const folder = t.testdir();
  const store = (await openStoresUnderTest(t, folder))?.control;
  const onError = (error: unknown): void => {
    t.fail(String(error));
  };
  const control = await openControl({ folder, clock, random, pid: process.pid, onError, store });
  t.teardown(() => control.close());
  return {
    ...createCredentialCaches(control.database, clock),
    keys: control.keyring,
    clock,
    random,
    settings,
    passwordHasher: createPasswordHasher(settings, random),
    signInLimiter: createSignInLimiter(clock, settings),
    revocationEvents: createRevocationEvents(),
    personRemovalHooks: createPersonRemovalHooks(),
    logSecurityEvent: () => undefined,
    onFirstOwner: () => undefined,
  };
}
