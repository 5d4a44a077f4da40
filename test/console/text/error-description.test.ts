/** Errors as pages display them. */
import t from 'tap';
import { describeError } from '../../../src/console/text/error-description.ts';
import { vpError } from '../../../src/errors/vp-error.ts';

t.test('a control plane that cannot be reached is explained to people at a page, not at a terminal', async (t) => {
  const values = { url: 'http://127.0.0.1:7700', problem: 'the connection failed' };
  const { cure, isRetryable } = describeError(vpError('CONTROL_PLANE_UNREACHABLE', values));
  t.notMatch(cure, /vp (serve|use|run)|--control-plane/);
  t.equal(isRetryable, true);
});

t.test('a message that begins with the name of an environment keeps it as it is written', async (t) => {
  const begins = (error: Error): boolean => describeError(error).beginsWithName;
  t.equal(begins(vpError('FAILURE_UNKNOWN', { instance: 'shop', failure: 'f-1' })), true);
  t.equal(begins(vpError('RUN_UNKNOWN', { run: '20261120T143012345' })), false);
});
