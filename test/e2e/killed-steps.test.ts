/** The executor is killed at every boundary once; `npm run test:step-kills` does it hundreds of times. */
import t from 'tap';
import { sandboxTest } from './sandbox.ts';
import { boundaryCount, playStepKills } from './step-kills.ts';

sandboxTest('an executor killed at each request of a scenario with steps and cleanup', async (t, sandbox) => {
  const seed = 17;
  const result = await playStepKills(sandbox, {
    kills: boundaryCount,
    seed,
    lifetimeMs: 300_000,
    reportTimeoutMs: 60_000,
  });
  t.same(result.problems, [], 'each request arrives at most once, and the cleanup is reported');
  const reported = Object.values(result.cleanups).reduce((sum, count) => sum + count, 0);
  t.equal(reported, 2 * boundaryCount, 'both requests of the cleanup are in every report');
});

t.setTimeout(340_000);
