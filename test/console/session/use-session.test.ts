import t from 'tap';
import { isSignedOut } from '../../../src/console/session/use-session.ts';
import { vpError } from '../../../src/errors/vp-error.ts';

t.test('only a missing or invalid credential requires a sign-in', async (t) => {
  t.ok(isSignedOut(vpError('CREDENTIAL_MISSING', {})));
  t.ok(isSignedOut(vpError('CREDENTIAL_INVALID', {})));
  t.notOk(isSignedOut(vpError('CREDENTIAL_INSUFFICIENT', { action: 'x' })));
  t.notOk(isSignedOut(vpError('CONTROL_PLANE_UNREACHABLE', { url: 'x', problem: 'y' })));
  t.notOk(isSignedOut(new Error('no')));
});
